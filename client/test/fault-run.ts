import { Database } from "bun:sqlite";
import { expect } from "bun:test";
import { startService } from "../../test/harness/service/service.ts";
import { Random } from "../../torture/common/random.ts";
import type { FaultReport, FaultRun } from "./everywhere/faults.ts";
import { type Fault, startFaultProxy } from "./fault-proxy.ts";

export interface FaultRunOptions {
  readonly callers?: number;
  readonly rounds?: number;
  /** The origin of the page that runs the client, if any. */
  readonly pageOrigin?: string | undefined;
}

/** Runs a client against the service behind a faulty proxy, and compares its report with the database. */
export async function checkUnderFaults(
  seed: number,
  work: (run: FaultRun) => Promise<FaultReport>,
  { callers = 24, rounds = 16, pageOrigin }: FaultRunOptions = {},
): Promise<FaultReport & { readonly faults: ReadonlyMap<Fault, number> }> {
  const service = await startService({ env: pageOrigin ? { CORS_ORIGINS: pageOrigin } : {} });
  const proxy = await startFaultProxy(Number(new URL(service.origin).port), new Random(seed));
  const report = await work({ baseUrl: `${proxy.origin}/v1`, apiKey: service.boundless, callers, rounds });
  expect(report.wrong).toEqual([]);
  const database = new Database(service.path, { readonly: true });
  const texts = (sql: string): unknown[] => database.query(sql).values().flat();
  expect(texts("SELECT name FROM animals").sort()).toEqual([...report.kept].sort());
  expect(texts("SELECT reference FROM orders WHERE status = 'approved'").sort()).toEqual([...report.ordered].sort());
  expect(texts("SELECT count(*) FROM orders")).toEqual([report.ordered.length]);
  expect(Object.fromEntries(database.query("SELECT id, name FROM categories").values())).toEqual(report.categories);
  database.close();
  expect(report.kept.length + report.deleted.length).toBe(callers * rounds);
  return { ...report, faults: proxy.faults };
}
