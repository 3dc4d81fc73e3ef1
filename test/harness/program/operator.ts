import { expect } from "bun:test";
import { type Outcome, type RunningService, run } from "./program.ts";

/** An operator at a shell in a folder, with some settings. */
export function operatorIn(cwd: string, env: Record<string, string> = {}) {
  const cli = (...args: string[]): Promise<Outcome> => run(args, { cwd, env });
  /** The JSON output of a command, which must succeed without warnings. */
  // biome-ignore lint/suspicious/noExplicitAny: JSON output is looked into freely
  const json = async (...args: string[]): Promise<any> => {
    const { exitCode, out, err } = await cli(...args, "--json");
    expect([exitCode, err]).toEqual([0, ""]);
    return JSON.parse(out);
  };
  /** Issues a key; --json shows its secret. */
  const issue = (name: string, plan: string, ...options: string[]) =>
    json("keys", "create", "--name", name, "--plan", plan, ...options);
  /** Creates a database; only `serve` and `migrate` do that. */
  const makeStore = async (): Promise<void> => expect((await cli("migrate")).exitCode).toBe(0);
  return { cli, json, issue, makeStore };
}

export const listPets = (service: RunningService, secret: string): Promise<Response> =>
  fetch(`${service.origin}/v1/pets`, { headers: { Authorization: `Bearer ${secret}` } });

/** Repeats a request until its response has this status. */
export async function untilAnswered(request: () => Promise<Response>, status: number): Promise<void> {
  while ((await request()).status !== status) await Bun.sleep(20);
}

/**
 * Gets a key on the Free plan banned, by 60 requests that pass and 60 that are refused. It takes more of them if Redis
 * answers late on a busy machine, because the instance then counts by itself for a while.
 */
export async function getBanned(service: RunningService, secret: string): Promise<void> {
  await Promise.all(Array.from({ length: 119 }, () => listPets(service, secret)));
  const refusal = async () => (await (await listPets(service, secret)).json()) as { readonly code: string };
  while ((await refusal()).code !== "key_banned");
}
