import { join } from "node:path";
import { digestOf, newKey, newSecret } from "../../src/domain/keys/key.ts";
import { PLANS, type Plan, QUOTA_MAX, type Quotas } from "../../src/domain/keys/plan.ts";
import { defaultThreads } from "../../src/start/threads/cores.ts";
import { openForCommand } from "../../src/store/open.ts";
import { type DatabaseUrl, parseDatabaseUrl } from "../../src/store/urls/database-url.ts";
import { temporaryFolder } from "../../test/harness/folder.ts";
import { type RunningService, serve } from "../../test/harness/program/program.ts";
import { SIGNED } from "../../test/harness/rows/author.ts";
import { openDatabaseFile } from "../../test/harness/rows/sqlite.ts";

/** The service as `npm start` runs it, in its own folder, with access to its database. */
export interface Target extends RunningService {
  readonly pid: number;
  readonly folder: string;
  readonly databaseFile: string;
  issueKey(options: { plan: Plan; secret?: string }): Promise<string>;
  /** The number of rows in a table. */
  count(table: NumberedTable | "categories"): number;
  /** The highest id that was ever assigned. */
  lastId(table: NumberedTable): number;
  /** Makes the service assign ids above this one. */
  setLastId(table: NumberedTable, id: number): void;
}

export type NumberedTable = "animals" | "orders";

const BOUNDLESS: Quotas = { perMinute: QUOTA_MAX, perDay: QUOTA_MAX };

export async function startTarget(
  options: { env?: Record<string, string>; wrap?: readonly string[] } = {},
): Promise<Target> {
  const folder = temporaryFolder();
  const databaseFile = join(folder, "data/animal-store.db");
  const service = await serve({ cwd: folder, threads: defaultThreads(), ...options });
  const database = parseDatabaseUrl(`sqlite:${databaseFile}`) as DatabaseUrl;
  return {
    ...service,
    pid: service.child.pid,
    folder,
    databaseFile,
    async issueKey({ plan, secret = newSecret() }) {
      const quotas = PLANS[plan] ?? BOUNDLESS;
      const key = newKey({ name: "torture", plan, quotas, createdAtMs: Date.now(), expiresAtMs: undefined });
      const store = await openForCommand(database, { create: false });
      await store.keys.create({ ...SIGNED, key, digest: digestOf(secret) });
      await store.close();
      return secret;
    },
    count: (table) => numberIn(databaseFile, `SELECT count(*) FROM ${table}`),
    lastId: (table) =>
      numberIn(databaseFile, `SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = '${table}'`),
    setLastId(table, id) {
      const db = openDatabaseFile(databaseFile);
      db.run("BEGIN IMMEDIATE");
      db.run("DELETE FROM sqlite_sequence WHERE name = ?", [table]);
      db.run("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", [table, id]);
      db.run("COMMIT");
      db.close();
    },
  };
}

function numberIn(file: string, statement: string): number {
  const db = openDatabaseFile(file, { readonly: true });
  const [[number]] = db.query(statement).values() as [[number]];
  db.close();
  return number;
}

/** The bytes of a request with a key. */
export function requestBytes(
  line: string,
  { secret, body, headers = [] }: { secret?: string | undefined; body?: string; headers?: readonly string[] } = {},
): Uint8Array {
  const lines = [`${line} HTTP/1.1`, "Host: animal-store", ...headers];
  if (secret !== undefined) lines.push(`Authorization: Bearer ${secret}`);
  if (body !== undefined) lines.push("Content-Type: application/json", `Content-Length: ${Buffer.byteLength(body)}`);
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n${body ?? ""}`);
}
