import { parseArgs } from "node:util";

/** Every attack, and what it shows. */
export const ATTACKS = {
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
export type AttackName = keyof typeof ATTACKS;

export const usage = (): string =>
  [
    "Usage: npm run torture -- <attack> [--minutes N | --hours N] [--seed S] [--only TEXT] [--result FILE]",
    "       npm run torture -- all --hours N [--seed S]",
    "",
    ...Object.entries(ATTACKS).map(([name, what]) => `  ${name.padEnd(8)} ${what}`),
    "  all      every attack in turn, each for a fair share of the time; writes the tables of docs/reliability.md",
    "",
    "  --minutes N    duration of the run (default for one attack: 1)",
    "  --hours N      the same in hours: 2 for a release, 24 for whoever has the machine",
    "  --seed S       repeats the random choices of a run, which prints its seed",
    "  --only TEXT    with outages: only rows with this text in their names",
    "  --result FILE  with one attack: also writes its scoreboard to a file, as JSON",
    "",
    "Exit codes: 0, 1 after a violation, 2 for wrong arguments, 130 if a run of all attacks was interrupted.",
  ].join("\n");

export interface Order {
  readonly name: AttackName | "all";
  readonly minutes: number;
  readonly seed: number;
  readonly only: string | undefined;
  readonly result: string | undefined;
}

/** Parses the arguments. Returns a message if they are invalid, and an empty one if they ask for help. */
export function readOrder(args: readonly string[]): Order | string {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: {
        minutes: { type: "string" },
        hours: { type: "string" },
        seed: { type: "string" },
        only: { type: "string" },
        result: { type: "string" },
        help: { type: "boolean", short: "h" },
      },
      allowPositionals: true,
    });
    if (values.help) return "";
    const [name = "", ...others] = positionals;
    if (!isAttack(name) || others.length > 0) return `name one attack, or all: ${Object.keys(ATTACKS).join(", ")}`;
    const minutes = readMinutes(values, name);
    if (typeof minutes === "string") return minutes;
    const seed = values.seed === undefined ? newSeed() : Number(values.seed);
    if (values.seed === "" || !Number.isSafeInteger(seed)) return "--seed must be a whole number";
    if (values.only !== undefined && name !== "outages") return "--only is for outages, whose rows have names";
    if (values.result !== undefined && name === "all") return "--result is for one attack; all has a folder of results";
    return { name, minutes, seed, only: values.only, result: values.result };
  } catch (error) {
    return (error as Error).message;
  }
}

const isAttack = (name: string): name is AttackName | "all" => name === "all" || Object.hasOwn(ATTACKS, name);

/** Short enough to be typed again. */
const newSeed = (): number => Math.floor(Math.random() * 1_000_000);

function readMinutes(
  { minutes, hours }: { minutes?: string | undefined; hours?: string | undefined },
  name: string,
): number | string {
  if (minutes !== undefined && hours !== undefined) return "give --minutes or --hours, not both";
  if (minutes === undefined && hours === undefined)
    return name === "all" ? "say how long: --hours 2, or --minutes 30" : 1;
  const value = Number(minutes ?? hours);
  if (!(value > 0 && Number.isFinite(value)))
    return `--${hours === undefined ? "minutes" : "hours"} must be a number above 0`;
  return hours === undefined ? value : value * 60;
}
