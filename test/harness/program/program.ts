import { dirname, join } from "node:path";
import type { Subprocess } from "bun";
import { atEnd } from "../cleanup.ts";
import { listenersOn } from "../servers/port.ts";

const ROOT = join(import.meta.dir, "../../..");
/** The executable that `npm start` runs. The test runner builds it once for all files. */
export const EXECUTABLE = process.env.TEST_EXECUTABLE ?? (await buildExecutable());
// On the PATH, as where it is installed, so that commands it prints begin with its plain name.
process.env.PATH = `${dirname(EXECUTABLE)}:${process.env.PATH}`;

async function buildExecutable(): Promise<string> {
  const { build } = await import("../../../scripts/build.ts");
  return build(join(ROOT, "build"));
}

/** A clean environment, so that no settings of the tester leak in. */
const environment = (env: Record<string, string>): Record<string, string> => ({
  PATH: process.env.PATH ?? "",
  HOME: process.env.HOME ?? "",
  ...env,
});

export interface Outcome {
  readonly exitCode: number;
  readonly out: string;
  readonly err: string;
}

/** Removes progress lines, which any work may print on a busy machine. */
export const withoutProgress = (err: string): string => err.replaceAll(/^.*, [\d,.]+ \w+\/s.*\n/gm, "");

/** Runs the program to its end, like a person at a shell. Progress lines are removed from its errors. */
export async function run(
  args: readonly string[],
  options: { cwd: string; env?: Record<string, string>; program?: readonly string[] },
): Promise<Outcome> {
  const child = Bun.spawn([...(options.program ?? [EXECUTABLE]), ...args], {
    cwd: options.cwd,
    env: environment(options.env ?? {}),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { exitCode, out, err: withoutProgress(err) };
}

/** Runs the program to its end in a terminal of this width. Its question, if it asks one, is answered by what is typed. */
export async function runInTerminal(
  args: readonly string[],
  options: {
    cwd: string;
    env?: Record<string, string>;
    columns: number;
    onStart?: (child: Subprocess) => void;
    typed?: string;
    program?: readonly string[];
  },
): Promise<Omit<Outcome, "err">> {
  const { cwd, env, columns, onStart } = options;
  let { typed } = options;
  let out = "";
  const decoder = new TextDecoder();
  const child = Bun.spawn([...(options.program ?? [EXECUTABLE]), ...args], {
    cwd,
    env: environment(env ?? {}),
    terminal: {
      cols: columns,
      rows: 50,
      data: (terminal, bytes) => {
        out += decoder.decode(bytes, { stream: true });
        if (typed === undefined || !out.includes("[y/N] ")) return;
        terminal.write(typed);
        typed = undefined;
      },
    },
  });
  onStart?.(child);
  const exitCode = await child.exited;
  child.terminal?.close();
  return { exitCode, out: out.replaceAll("\r\n", "\n") };
}

/** Issues a key with quotas that are never reached, and creates the database if needed. Returns its secret. */
export async function issueBoundlessKey(where: {
  cwd: string;
  env?: Record<string, string>;
  program?: readonly string[];
}): Promise<string> {
  const quotas = ["--per-minute", "1000000000", "--per-day", "1000000000"];
  await run(["migrate"], where);
  const { out, err } = await run(
    ["keys", "create", "--name", "test", "--plan", "enterprise", ...quotas, "--json"],
    where,
  );
  if (out === "") throw new Error(err);
  return JSON.parse(out).secret;
}

export interface RunningService {
  readonly origin: string;
  readonly banner: string;
  readonly child: Subprocess<"ignore", "pipe", "pipe">;
  /** The log so far. */
  readonly logged: () => string;
  /** Sends a signal, and resolves to the exit code. */
  kill(signal: NodeJS.Signals): Promise<number | null>;
}

/** Starts the service in a process of its own, as `npm start` does, and waits for its banner, or for all its threads. */
export async function serve(options: {
  cwd: string;
  env?: Record<string, string>;
  wrap?: readonly string[];
  program?: readonly string[];
  /** The number of threads to wait for. */
  threads?: number;
  /** The caller ends it, so it may outlive the test that starts it. */
  isKept?: boolean;
}): Promise<RunningService> {
  const { threads } = options;
  const child = Bun.spawn([...(options.wrap ?? []), ...(options.program ?? [EXECUTABLE]), "serve"], {
    cwd: options.cwd,
    env: environment({ PORT: "0", ...(threads ? { THREADS: String(threads) } : {}), ...options.env }),
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  if (!options.isKept) atEnd(() => child.kill("SIGKILL"));
  let logged = "";
  const logging = collect(child.stderr, (text) => {
    logged += text;
  });
  let banner = "";
  await new Promise<void>((resolve, reject) => {
    void collect(child.stdout, (text) => {
      banner += text;
      if (banner.includes("Ctrl+C")) resolve();
    }).then(async () => {
      await logging;
      reject(new Error(`the service did not start: ${logged}`));
    });
  });
  const origin = /API +(http:\/\/\S+)\/v1/.exec(banner)?.[1] as string;
  if (process.platform === "linux" && threads)
    while (child.exitCode === null && listenersOn(origin) < threads) await Bun.sleep(5);
  return {
    origin,
    banner,
    child,
    logged: () => logged,
    async kill(signal) {
      child.kill(signal);
      await child.exited;
      await logging;
      return child.exitCode;
    },
  };
}

/** Adds an animal over a new connection, so that any thread may answer. */
export const postAnimal = (
  { origin }: Pick<RunningService, "origin">,
  secret: string,
  name: string,
  idempotencyKey?: string,
): Promise<Response> =>
  fetch(`${origin}/v1/pets`, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${secret}`,
      "Content-Type": "application/json",
      Connection: "close",
      ...(idempotencyKey ? { "Idempotency-Key": idempotencyKey } : {}),
    },
    body: JSON.stringify({ name, categoryId: 1 }),
  });

async function collect(stream: ReadableStream<Uint8Array>, take: (text: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  for await (const chunk of stream) take(decoder.decode(chunk, { stream: true }));
}
