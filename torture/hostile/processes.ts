import { join } from "node:path";
import { atEnd } from "../../test/harness/cleanup.ts";
import type { Assignment, Toll } from "./attackers/attacker.ts";
import type { GoodDay, GoodTask } from "./good-client.ts";

// Attackers and good clients run in separate processes, so that they slow each other down only through the service.

export const command = (script: string): string[] => [process.execPath, join(import.meta.dir, script)];

export const runAttacker = (assignment: Assignment): Promise<Toll> => resultOf("attacker.ts", assignment);

export const runGoodClient = (task: GoodTask): Promise<GoodDay> => resultOf("good-client.ts", task);

/** Runs a script of this folder to its end, and returns its output. */
async function resultOf<Result>(script: string, task: Assignment | GoodTask): Promise<Result> {
  const child = Bun.spawn([...command(script), JSON.stringify(task)], {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "inherit",
  });
  atEnd(() => child.kill("SIGKILL"));
  const text = await new Response(child.stdout).text();
  if (text === "") throw new Error(`${script} ended without a result`);
  return JSON.parse(text);
}
