// Attacks the service for as long as you like. Usage: npm run torture -- <attack | all> [--minutes N | --hours N] …

import { join } from "node:path";
import { cleanUp } from "../test/harness/cleanup.ts";
import { runAll } from "./all/all.ts";
import { ATTACKS, type AttackName, type Order, readOrder, usage } from "./arguments.ts";
import type { Attack } from "./common/attack.ts";
import { Scoreboard } from "./common/scoreboard.ts";

const say = (text: string): void => void process.stdout.write(`${text}\n`);

/** Aborted by the first signal, which ends the run after its round. The second one does not wait for that. */
function interruption(onFirst: (signal: NodeJS.Signals) => void): AbortSignal {
  const controller = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.on(signal, () => {
      if (controller.signal.aborted) return void cleanUp().finally(() => process.exit(130));
      onFirst(signal);
      say("Ending after this round. Once more to end at once.");
      controller.abort();
    });
  return controller.signal;
}

async function runOne(name: AttackName, { minutes, seed, only, result }: Order): Promise<number> {
  const { run } = (await import(join(import.meta.dir, name, `${name}.ts`))) as { readonly run: Attack };
  const board = new Scoreboard();
  let hasReachedServices = false;
  const signal = interruption((first) => {
    hasReachedServices = first === "SIGINT";
    say(`\n${board}`);
  });
  const startedAtMs = performance.now();
  say(`${name}: ${ATTACKS[name]}\nseed ${seed}, ${minutes} min`);
  try {
    await run({ seed, minutes, ...(only === undefined ? {} : { only }), board, log: say, signal });
  } catch (error) {
    // Ctrl+C reaches the services, too, and a round that loses its service may fail.
    if (!hasReachedServices)
      board.violation(`the attack itself failed: ${error instanceof Error ? (error.stack ?? error.message) : error}`);
  }
  const seconds = Math.round((performance.now() - startedAtMs) / 1000);
  say(`\n${name}, seed ${seed}, ${seconds} s\n${board}`);
  if (result !== undefined) await Bun.write(result, JSON.stringify(board));
  if (board.violations.length === 0) return 0;
  const selection = only === undefined ? "" : ` --only "${only}"`;
  say(`\nFailed. To repeat it: npm run torture -- ${name} --minutes ${minutes} --seed ${seed}${selection}`);
  return 1;
}

async function main(args: readonly string[]): Promise<number> {
  const order = readOrder(args);
  if (typeof order === "string") {
    say(order === "" ? usage() : `${order}\n\n${usage()}`);
    return order === "" ? 0 : 2;
  }
  const { name } = order;
  return name === "all" ? runAll(order, { say, signal: interruption(() => {}) }) : runOne(name, order);
}

let exitCode = 1;
try {
  exitCode = await main(process.argv.slice(2));
} finally {
  await cleanUp();
}
process.exit(exitCode);
