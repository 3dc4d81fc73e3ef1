// This service as `npm start` runs it, or a former revision, each on its own database.

import { Database } from "bun:sqlite";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { QUOTA_MAX } from "../../src/domain/keys/plan.ts";
import { EXECUTABLE, issueBoundlessKey, run } from "../../test/harness/program/program.ts";
import { type Answer, ask, fillAnimals, freePort, type Running, say, startProcess, whole } from "../common/tools.ts";
import { type AnswerName, CHECKS, LIST, ourCursor } from "../common/workloads.ts";

export interface OurStore {
  readonly folder: string;
  readonly env: Record<string, string>;
  readonly animals: number;
  /** The secret of a key whose quota is never exhausted. */
  readonly secret: string;
  readonly executable: string;
}

/** Creates a database with this many animals in a new folder. */
export async function makeStore(
  parent: string,
  name: string,
  animals: number,
  executable = EXECUTABLE,
): Promise<OurStore> {
  say(`creating a database of ${whole(animals)} animals`);
  const folder = join(parent, name);
  mkdirSync(folder);
  const env = { DATABASE_URL: "sqlite:store.db" };
  const secret = await issueBoundlessKey({ cwd: folder, env, program: [executable] });
  await fillAnimals(databaseOf({ folder }), animals);
  return { folder, env, animals, secret, executable };
}

export const databaseOf = ({ folder }: Pick<OurStore, "folder">): string => join(folder, "store.db");

/**
 * Issues a key that is refused after its first request, but has too many strikes left to be banned: a ban closes the
 * connection, and refusals are to be measured, not new connections.
 */
export async function issueExhaustibleKey(store: OurStore): Promise<string> {
  const { folder, env, executable } = store;
  const name = `exhaustible ${crypto.randomUUID()}`;
  const quotas = ["--per-minute", String(QUOTA_MAX), "--per-day", String(QUOTA_MAX)];
  const args = ["keys", "create", "--name", name, "--plan", "enterprise", ...quotas, "--json"];
  const { out, err } = await run(args, { cwd: folder, env, program: [executable] });
  if (out === "") throw new Error(err);
  // Set in the database, because no command makes a daily quota smaller than the one per minute.
  const db = new Database(databaseOf(store));
  db.run("UPDATE keys SET per_day = 1 WHERE name = ?", [name]);
  db.close(true);
  return JSON.parse(out).secret;
}

/** Requests without a key are counted by address, and all of wrk's connections come from one. */
export const NO_ADDRESS_LIMIT = { ANONYMOUS_PER_MINUTE: String(QUOTA_MAX) };

export function startService(store: OurStore, env: Record<string, string> = {}): Promise<Running> {
  const port = freePort();
  return startProcess({
    command: [store.executable, "serve"],
    cwd: store.folder,
    env: { ...store.env, PORT: String(port), LOG_LEVEL: "error", ...env },
    origin: `http://127.0.0.1:${port}`,
    probe: LIST,
    secret: store.secret,
    status: 200,
  });
}

const REQUESTS_MAX = 1_000;

/** Sends requests until they are refused with 429. */
export async function exhaust(origin: string, secret: string): Promise<void> {
  for (let i = 0; i < REQUESTS_MAX; i++) if ((await ask(origin, LIST, secret)).status === 429) return;
  throw new Error(`${origin} did not refuse after ${REQUESTS_MAX} requests`);
}

/** This service's responses: the ceiling and nginx send them, and those of the others are compared with them. */
export type Reference = Readonly<Record<AnswerName, Answer>>;

export async function captureReference(store: OurStore): Promise<Reference> {
  const limitedSecret = await issueExhaustibleKey(store);
  const { origin, stop } = await startService(store, NO_ADDRESS_LIMIT);
  await exhaust(origin, limitedSecret);
  const secrets: Partial<Record<AnswerName, string | undefined>> = { unauthorised: undefined, limited: limitedSecret };
  const answers: Partial<Record<AnswerName, Answer>> = {};
  for (const name of Object.keys(CHECKS) as AnswerName[]) {
    const secret = name in secrets ? secrets[name] : store.secret;
    answers[name] = withoutTransport(await ask(origin, CHECKS[name].request(ourCursor), secret));
  }
  await stop();
  return answers as Reference;
}

/** Drops the headers that every server adds by itself. */
function withoutTransport({ status, headers, body }: Answer): Answer {
  const own = Object.entries(headers).filter(([name]) => !/^(date|content-length|connection)$/i.test(name));
  return { status, headers: Object.fromEntries(own), body };
}
