import { expect } from "bun:test";
import { EXECUTABLE, type Outcome, type RunningService, run } from "./program.ts";

/** A person at a shell in a folder, with some settings. */
export function operatorIn(cwd: string, env: Record<string, string> = {}) {
  const cli = (...args: string[]): Promise<Outcome> => run(args, { cwd, env, program: [EXECUTABLE] });
  /** What a command prints with --json. It must succeed, and have nothing to remark. */
  // biome-ignore lint/suspicious/noExplicitAny: JSON output is looked into freely
  const json = async (...args: string[]): Promise<any> => {
    const { exitCode, out, err } = await cli(...args, "--json");
    expect([exitCode, err]).toEqual([0, ""]);
    return JSON.parse(out);
  };
  /** Issues a key; --json shows its secret. */
  const issue = (name: string, plan: string, ...options: string[]) =>
    json("keys", "create", "--name", name, "--plan", plan, ...options);
  /** No command but these makes a database: `serve` and `migrate`. */
  const makeStore = async (): Promise<void> => expect((await cli("migrate")).exitCode).toBe(0);
  return { cli, json, issue, makeStore };
}

export const listPets = (service: RunningService, secret: string): Promise<Response> =>
  fetch(`${service.origin}/v1/pets`, { headers: { Authorization: `Bearer ${secret}` } });

/** Waits until a request of a kind is answered so. */
export async function untilAnswered(request: () => Promise<Response>, status: number): Promise<void> {
  while ((await request()).status !== status) await Bun.sleep(20);
}

/** Has a key on the Free plan banned: by 60 requests that pass, and 60 that are refused. */
export async function getBanned(service: RunningService, secret: string): Promise<void> {
  await Promise.all(Array.from({ length: 119 }, () => listPets(service, secret)));
  expect(await (await listPets(service, secret)).json()).toMatchObject({ code: "key_banned" });
}
