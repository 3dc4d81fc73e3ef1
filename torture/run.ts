// Attacks the service for as long as you like. Usage: npm run torture -- <attack> [--minutes N] [--seed S] [--only TEXT]

import { join } from "node:path";
import { parseArgs } from "node:util";
import { cleanUp } from "../test/harness/cleanup.ts";
import type { Attack } from "./common/attack.ts";
import { Scoreboard } from "./common/scoreboard.ts";

const ATTACKS = {
  crash: "kill -9 under load, at first starts and at backups: no acknowledged write is lost or made twice",
  import:
    "animals import and undo, killed at any time beside a service: every line is imported exactly once, or removed",
  power: "power cuts and failing disks: no acknowledged write is lost, no file is damaged",
  fuzz: "generated, mutated and random requests: always alive, always a well-formed response",
  hostile: "malicious clients beside a good one, which must not notice",
  soak: "connections that come and go: no memory and no file descriptor leaks",
  rolling: "instances restarted and killed under keep-alive clients: no read and no retriable write fails",
  fleet: "a fleet behind nginx, while the parts that it depends on fail at random",
  outages: "each part of a fleet fails in each known way, one row each: nothing is lost, every request is answered",
} as const;

const say = (text: string): void => void process.stdout.write(`${text}\n`);

const usage = (): string =>
  [
    "Usage: npm run torture -- <attack> [--minutes N] [--seed S] [--only TEXT]",
    "",
    ...Object.entries(ATTACKS).map(([name, what]) => `  ${name.padEnd(8)} ${what}`),
    "",
    "  --minutes N  duration of the run (default: 1)",
    "  --seed S     repeats the random choices of a run, which prints its seed",
    "  --only TEXT  with outages: only rows with this text in their names",
  ].join("\n");

interface Order {
  readonly name: string;
  readonly minutes: number;
  readonly seed: number;
  readonly only: string | undefined;
}

/** Parses the arguments. Returns a message if they are invalid, and an empty one if they ask for help. */
function readOrder(args: readonly string[]): Order | string {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: {
        minutes: { type: "string", default: "1" },
        seed: { type: "string" },
        only: { type: "string" },
        help: { type: "boolean", short: "h" },
      },
      allowPositionals: true,
    });
    if (values.help) return "";
    const [name = "", ...others] = positionals;
    const minutes = Number(values.minutes);
    const seed = values.seed === undefined ? crypto.getRandomValues(new Uint32Array(1))[0] : Number(values.seed);
    if (!(name in ATTACKS) || others.length > 0) return `name one attack: ${Object.keys(ATTACKS).join(", ")}`;
    if (!(minutes > 0)) return "--minutes must be a number above 0";
    if (seed === undefined || !Number.isSafeInteger(seed)) return "--seed must be a whole number";
    return { name, minutes, seed, only: values.only };
  } catch (error) {
    return (error as Error).message;
  }
}

async function main(args: readonly string[]): Promise<number> {
  const order = readOrder(args);
  if (typeof order === "string") {
    say(order === "" ? usage() : `${order}\n\n${usage()}`);
    return order === "" ? 0 : 2;
  }
  const { name, minutes, seed, only } = order;
  const { run } = (await import(join(import.meta.dir, name, `${name}.ts`))) as { readonly run: Attack };
  const board = new Scoreboard();
  const interruption = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.on(signal, () => {
      // A second Ctrl+C does not wait for the round to end.
      if (interruption.signal.aborted) return void cleanUp().finally(() => process.exit(130));
      say(`\n${board}\nEnding after this round. Once more to end at once.`);
      interruption.abort();
    });
  const startedAtMs = performance.now();
  say(`${name}: ${ATTACKS[name as keyof typeof ATTACKS]}\nseed ${seed}, ${minutes} min`);
  try {
    await run({ seed, minutes, ...(only === undefined ? {} : { only }), board, log: say, signal: interruption.signal });
  } catch (error) {
    // Ctrl+C reaches the services, too, and a round that loses its service may fail.
    if (!interruption.signal.aborted)
      board.violation(`the attack itself failed: ${error instanceof Error ? (error.stack ?? error.message) : error}`);
  }
  const seconds = Math.round((performance.now() - startedAtMs) / 1000);
  say(`\n${name}, seed ${seed}, ${seconds} s\n${board}`);
  if (board.violations.length === 0) return 0;
  const selection = only === undefined ? "" : ` --only "${only}"`;
  say(`\nFailed. To repeat it: npm run torture -- ${name} --minutes ${minutes} --seed ${seed}${selection}`);
  return 1;
}

let exitCode = 1;
try {
  exitCode = await main(process.argv.slice(2));
} finally {
  await cleanUp();
}
process.exit(exitCode);
