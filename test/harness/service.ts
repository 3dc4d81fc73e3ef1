import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { type Environment, readConfig } from "../../src/config.ts";
import type { Clock } from "../../src/domain/clock.ts";
import { digestOf, newKey, newSecret } from "../../src/domain/key.ts";
import { PLANS, type Plan, type Quotas } from "../../src/domain/plan.ts";
import { type StartParts, start } from "../../src/start.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { atEnd } from "./cleanup.ts";
import { type Answer, send } from "./send.ts";

/** A folder that is gone after the file's tests. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "animal-store-"));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export interface IssueOptions {
  readonly plan?: Plan;
  readonly quotas?: Quotas;
  readonly expiresAtMs?: number;
}

/** Issues a key as the CLI does: through a connection of its own. */
export async function issueKey(databasePath: string, { plan = "business", quotas, expiresAtMs }: IssueOptions = {}) {
  const secret = newSecret();
  const agreed = quotas ?? PLANS[plan] ?? { perMinute: 1_000_000, perDay: 1_000_000 };
  const key = newKey({ name: "test", plan, quotas: agreed, createdAtMs: Date.now(), expiresAtMs });
  const store = await openSqliteStore(databasePath, { create: false, serve: false });
  await store.keys.create(key, digestOf(secret));
  await store.close();
  return { id: key.id, secret };
}

export interface TestServiceOptions extends Partial<Omit<StartParts, "log">> {
  readonly env?: Environment;
  readonly clock?: Clock;
  readonly databasePath?: string;
  /** Collects what is logged, a line each. */
  readonly logged?: string[];
}

export interface CallOptions {
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  /** A secret, or nothing at all; the default is a key without limits that matter. */
  readonly secret?: string | null;
}

/** The real service on a free port and a fresh database; every answer is checked against the document. */
export async function startService({ env, databasePath, logged, ...parts }: TestServiceOptions = {}) {
  const path = databasePath ?? join(temporaryFolder(), "store.db");
  const result = readConfig({ PORT: "0", DATABASE_URL: `sqlite:${path}`, ...env });
  if ("mistakes" in result) throw new Error(result.mistakes.join("\n"));
  const log = logged
    ? pino({ level: "debug" }, { write: (line: string) => void logged.push(line) })
    : pino({ level: "silent" });
  const service = await start(result.config, { log, warmUpAtOnce: true, ...parts });
  atEnd(() => service.stop());
  const { secret: boundless } = await issueKey(path, { plan: "enterprise" });

  /** Calls the interface: `call("GET /pets?limit=1")`. */
  const call = (line: string, { body, headers = {}, secret = boundless }: CallOptions = {}): Promise<Answer> => {
    const [method = "", target = ""] = line.split(" ");
    const hasBody = body !== undefined;
    return send(`${service.origin}/v1`, method, target, {
      headers: {
        ...(secret === null ? {} : { Authorization: `Bearer ${secret}` }),
        ...(hasBody ? { "Content-Type": "application/json" } : {}),
        ...headers,
      },
      ...(hasBody ? { body: typeof body === "string" ? body : JSON.stringify(body) } : {}),
    });
  };

  /** The OpenAPI document as it is served. */
  // biome-ignore lint/suspicious/noExplicitAny: a document is walked by path
  const document = async (): Promise<any> => (await fetch(`${service.origin}/openapi.json`)).json();

  return { ...service, path, call, document, boundless, issueKey: (options?: IssueOptions) => issueKey(path, options) };
}

export type TestService = Awaited<ReturnType<typeof startService>>;
