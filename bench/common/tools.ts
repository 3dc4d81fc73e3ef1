// Tools of every benchmark: statistics, processes, raw requests and filled databases.

import { Database } from "bun:sqlite";
import { atEnd, cleanUp } from "../../test/harness/cleanup.ts";
import { RawConnection } from "../../test/harness/requests/raw.ts";

export const say = (text: string): void => void process.stdout.write(`${text}\n`);

/** Exits with a one-line message unless these tools are installed. */
export function requireTools(packages: Readonly<Record<string, string>>): void {
  const missing = Object.keys(packages).filter((tool) => !Bun.which(tool));
  if (missing.length === 0) return;
  const toInstall = [...new Set(missing.map((tool) => packages[tool]))].join(" ");
  say(`This benchmark needs ${missing.join(", ")}. On Debian: apt-get install ${toInstall}`);
  process.exit(1);
}

let ending: Promise<never> | undefined;

/** Stops and removes everything that was started or created, and exits. Only the first call counts. */
export function endRun(exitCode: number, reason?: string): Promise<never> {
  ending ??= (async () => {
    if (reason !== undefined) say(`\n${reason}`);
    await cleanUp();
    process.exit(exitCode);
  })();
  return ending;
}

export const failRun = (error: unknown): Promise<never> =>
  endRun(1, `The run failed. ${error instanceof Error ? error.message : error}`);

/** Leaves no processes or folders behind when the run is interrupted or fails. */
export function cleanUpOnAnyEnd(): void {
  process.on("SIGINT", () => endRun(130, "Interrupted: stopping everything that was started."));
  process.on("SIGTERM", () => endRun(143, "Stopping everything that was started."));
  process.on("uncaughtException", failRun);
  process.on("unhandledRejection", failRun);
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}

/** The lower quartile rather than the median, because noise only ever adds CPU time. */
export function lowerQuartile(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 4)] as number;
}

export const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length;

export const whole = (value: number): string => Math.round(value).toLocaleString("en-US");

/** The lowest and highest value, as "1,200–1,300". */
export const spread = (values: readonly number[], show = whole): string =>
  `${show(Math.min(...values))}–${show(Math.max(...values))}`;

const STATUS_OF = (i: string) => `CASE ${i} % 3 WHEN 0 THEN 'sold' WHEN 1 THEN 'available' ELSE 'pending' END`;

/** SQL for the name, category and status of an animal, given its number. */
const animalColumns = (i: string): string => `'Animal ' || ${i}, ${i} % 50, ${STATUS_OF(i)}`;

/** Folded names are filled in too: otherwise a service would fold them while it is measured. */
export const OUR_COLUMNS = "name, category_id, status, folded_name";
export const ourAnimalColumns = (i: string): string => `${animalColumns(i)}, 'animal ' || ${i}`;

const CHUNK = 250_000;

/** Fills an empty table of animals in chunks, so that the log stays small and Ctrl+C works. */
export const fillAnimals = (path: string, count: number): Promise<void> =>
  fill(path, count, OUR_COLUMNS, ourAnimalColumns);

/** Fills the table of a peer. */
export const fillPeer = (path: string, count: number): Promise<void> =>
  fill(path, count, "name, category_id, status", animalColumns);

async function fill(path: string, count: number, columns: string, values: (i: string) => string): Promise<void> {
  const db = new Database(path);
  db.run("PRAGMA busy_timeout = 5000");
  for (let from = 1; from <= count; from += CHUNK) {
    const to = Math.min(count, from + CHUNK - 1);
    db.run(`INSERT INTO animals (${columns})
      WITH RECURSIVE n (i) AS (SELECT ${from} UNION ALL SELECT i + 1 FROM n WHERE i < ${to})
      SELECT ${values("i")} FROM n`);
    await Bun.sleep(0);
  }
  db.run("PRAGMA wal_checkpoint(TRUNCATE)");
  db.close();
}

/** A port that was free a moment ago. */
export function freePort(): number {
  const listener = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  const { port } = listener;
  listener.stop(true);
  return port;
}

export interface Request {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly body?: string;
  /** "*" stands for a new key in each request. */
  readonly idempotencyKey?: string;
}

export interface Answer {
  readonly status: number;
  /** With names spelled as they were sent, in the same order. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Sends one request on a new connection. Throws if nothing listens. */
export async function ask(origin: string, { method, path, body }: Request, secret?: string): Promise<Answer> {
  const connection = await RawConnection.open(origin);
  const lines = [`${method} ${path} HTTP/1.1`, `Host: ${new URL(origin).host}`];
  if (secret !== undefined) lines.push(`Authorization: Bearer ${secret}`);
  if (body !== undefined) lines.push("Content-Type: application/json", `Content-Length: ${body.length}`);
  connection.send(`${lines.join("\r\n")}\r\n\r\n${body ?? ""}`);
  const received = await connection.answer();
  connection.destroy();
  const end = received.indexOf("\r\n\r\n");
  const [statusLine = "", ...headerLines] = received.slice(0, end).split("\r\n");
  const headers = Object.fromEntries(
    headerLines.map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim()]),
  );
  return { status: Number(statusLine.split(" ")[1]), headers, body: received.slice(end + 4) };
}

export interface Command {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly origin: string;
  /** The request to repeat until the expected response arrives. */
  readonly probe: Request;
  readonly secret?: string;
  readonly status: number;
}

export interface Running {
  readonly origin: string;
  readonly pid: number;
  /** The time from just before the process was started to the first expected response. */
  readonly startedInMs: number;
  stop(): Promise<void>;
}

const START_DEADLINE_MS = 60_000;
const STOP_DEADLINE_MS = 10_000;
const POLL_EVERY_MS = 0.5;

/** Starts a process with only this environment, and waits for the expected response. */
export async function startProcess(options: Command): Promise<Running> {
  const { command, cwd, env, origin } = options;
  const fromMs = performance.now();
  const child = Bun.spawn([...command], {
    cwd,
    env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", ...env },
    stdin: "ignore",
    stdout: "ignore",
    stderr: "inherit",
  });
  const stop = async () => {
    child.kill("SIGTERM");
    const timer = setTimeout(() => child.kill("SIGKILL"), STOP_DEADLINE_MS);
    await child.exited;
    clearTimeout(timer);
  };
  atEnd(stop);
  for (;;) {
    if ((await statusOf(options)) === options.status)
      return { origin, pid: child.pid, startedInMs: performance.now() - fromMs, stop };
    if (child.exitCode !== null) throw new Error(`${command.join(" ")} ended with exit code ${child.exitCode}`);
    if (performance.now() - fromMs > START_DEADLINE_MS) throw new Error(`${command.join(" ")} did not start`);
    pauseBetweenPolls();
  }
}

const CELL = new Int32Array(new SharedArrayBuffer(4));

/** Blocks, because timers have a resolution of a millisecond, and a start takes only a few of them. */
const pauseBetweenPolls = (): void => void Atomics.wait(CELL, 0, 0, POLL_EVERY_MS);

/** The status of the probe's response, or undefined while nothing listens. */
async function statusOf({ origin, probe, secret }: Command): Promise<number | undefined> {
  try {
    return (await ask(origin, probe, secret)).status;
  } catch {
    return undefined;
  }
}
