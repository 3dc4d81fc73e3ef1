// This service as `npm start` runs it, on separate databases.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { QUOTA_MAX } from "../src/domain/plan.ts";
import type { DatabaseUrl } from "../src/store/database-url.ts";
import { EXECUTABLE, issueBoundlessKey } from "../test/harness/program.ts";
import { issueKey } from "../test/harness/service.ts";
import { type Answer, ask, fillAnimals, freePort, type Running, say, startProcess, whole } from "./tools.ts";
import { LIST, WORKS, type WorkName } from "./works.ts";

export interface OurStore {
  readonly folder: string;
  readonly env: Record<string, string>;
  readonly animals: number;
  /** Of a key whose quota is never exhausted. */
  readonly secret: string;
}

/** A new database in a new folder, with this many animals. */
export async function makeStore(parent: string, name: string, animals: number): Promise<OurStore> {
  say(`creating a database of ${whole(animals)} animals`);
  const folder = join(parent, name);
  mkdirSync(folder);
  const env = { DATABASE_URL: "sqlite:store.db" };
  const secret = await issueBoundlessKey({ cwd: folder, env });
  await fillAnimals(join(folder, "store.db"), animals);
  return { folder, env, animals, secret };
}

/**
 * The secret of a new key that is refused after its first request, and has too many strikes left to be banned:
 * a ban ends the connection, and it is refusals that are to be measured, not connections.
 */
export async function issueExhaustibleKey({ folder }: OurStore): Promise<string> {
  const database: DatabaseUrl = { kind: "sqlite", path: join(folder, "store.db") };
  const quotas = { perMinute: QUOTA_MAX, perDay: 1 };
  return (await issueKey(database, { plan: "enterprise", quotas })).secret;
}

/** Requests without a key are counted by address, and all of wrk's connections come from one. */
export const NO_ADDRESS_LIMIT = { ANONYMOUS_PER_MINUTE: String(QUOTA_MAX) };

export function startService(store: OurStore, env: Record<string, string> = {}): Promise<Running> {
  const port = freePort();
  return startProcess({
    command: [EXECUTABLE, "serve"],
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

/** Our service's response to each work: what the ceiling and nginx send, and what the others are compared with. */
export type Reference = Readonly<Record<WorkName, Answer>>;

export async function captureReference(store: OurStore): Promise<Reference> {
  const limitedSecret = await issueExhaustibleKey(store);
  const { origin, stop } = await startService(store, NO_ADDRESS_LIMIT);
  await exhaust(origin, limitedSecret);
  const answers: Partial<Record<WorkName, Answer>> = {};
  for (const { name, request, isAnonymous } of WORKS) {
    const secret = isAnonymous ? undefined : name === "limited" ? limitedSecret : store.secret;
    answers[name] = withoutTransport(await ask(origin, request, secret));
  }
  await stop();
  return answers as Reference;
}

/** Without the headers that every server adds by itself. */
function withoutTransport({ status, headers, body }: Answer): Answer {
  const own = Object.entries(headers).filter(([name]) => !/^(date|content-length|connection)$/i.test(name));
  return { status, headers: Object.fromEntries(own), body };
}
