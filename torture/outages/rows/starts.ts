import { temporaryFolder } from "../../../test/harness/folder.ts";
import { EXECUTABLE, run } from "../../../test/harness/program/program.ts";
import { BREAKS, breakAtStatement } from "../../../test/harness/servers/breaking-wire.ts";
import { TestPostgres } from "../../../test/harness/servers/postgres.ts";
import { FIGURES, type Row, type Scene } from "../row.ts";

const QUICKLY_MS = 10_000;
const STATEMENTS = 8;

/** Starts the service, and ends it unless it has ended by itself. */
async function start(database: string) {
  const fromMs = performance.now();
  const child = Bun.spawn([EXECUTABLE, "serve"], {
    cwd: temporaryFolder(),
    env: { PATH: process.env.PATH ?? "", PORT: "0", LOG_LEVEL: "error", DATABASE_URL: database },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const timer = setTimeout(() => child.kill("SIGKILL"), QUICKLY_MS);
  const [out, err] = await Promise.all([
    Bun.readableStreamToText(child.stdout),
    Bun.readableStreamToText(child.stderr),
    child.exited,
  ]);
  clearTimeout(timer);
  return {
    exitCode: child.exitCode,
    hasServed: out.includes("Ctrl+C"),
    err: err.trim(),
    ms: performance.now() - fromMs,
  };
}

/** Drops the connection at each statement of a start: of the first start, and of a later one. */
async function drop({ board, effort }: Scene): Promise<void> {
  const postgres = await TestPostgres.start({ isVolatile: true });
  const later = await postgres.database();
  await run(["keys", "list"], { cwd: temporaryFolder(), env: { DATABASE_URL: later } });
  for (const when of BREAKS)
    for (let n = 0; n <= Math.min(STATEMENTS, effort.times); n++)
      for (const which of ["first", "later"] as const) {
        const wire = await breakAtStatement(postgres.port, n, when);
        const database = which === "first" ? await postgres.database() : later;
        const { exitCode, hasServed, err, ms } = await start(
          Object.assign(new URL(database), { port: String(wire.port) }).href,
        );
        // The service may already have all the responses that a start needs.
        if (wire.statements() < n || (hasServed && when === "after the answer")) continue;
        const what = `a ${which} start, broken at statement ${n}, ${when},`;
        board.count("starts broken");
        board.highest("slowest exit, ms", ms);
        const hasEnded = exitCode !== null && exitCode !== 0;
        board.check(hasEnded, () => `${what} had not ended after ${Math.round(ms)} ms: ${err}`);
        const isOneLine = err !== "" && !err.includes("\n");
        board.check(!hasEnded || isOneLine, () => `${what} said: ${err.slice(0, 300)}`);
      }
  board.count(FIGURES.wrong, board.violations.length);
  await postgres.stop();
}

export const STARTS: readonly Row[] = [{ name: "connection dropped during the start", play: drop }];
