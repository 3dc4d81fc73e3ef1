import { expect, test } from "bun:test";
import type { Log, RefusalLine } from "../../telemetry/log.ts";
import { RequestLog } from "./request-log.ts";

/** Returns the lines that a log writes, with their levels. */
function logged({ logRequests, mayLogEach = true }: { logRequests: boolean; mayLogEach?: boolean }) {
  const lines: unknown[] = [];
  const requestLog = new RequestLog(
    {
      logRequests,
      log: { info: (fields: object, message: string) => void lines.push([message, fields]) } as unknown as Log,
      failures: { report: (message, error, fields) => void lines.push([message, error, fields]) },
      refusals: {
        report: (code: string, subject: string, line: () => RefusalLine) => void lines.push([code, subject, line()]),
        mayLogEach: () => mayLogEach,
        close() {},
      },
    },
    "console: ",
  );
  return { lines, requestLog };
}

const request = new Request("http://localhost/console/api/keys?secret=1", { method: "POST" });
const EXCHANGE = { request, requestId: "r1", startedAtMs: 0, address: "192.0.2.1" };
const LINE = { requestId: "r1", method: "POST", path: "/console/api/keys" };
const PASSED = { status: 200, tookMs: 1.23456 };
const REFUSED = { status: 401, tookMs: 1, code: "signed_out", reason: "expired", refusedCaller: "console 192.0.2.1" };

test("a request is logged only where all are, a refused one always", () => {
  const { lines, requestLog } = logged({ logRequests: false });
  requestLog.answered(EXCHANGE, PASSED);
  expect(lines).toEqual([]);
  requestLog.answered(EXCHANGE, REFUSED);
  const refused = { code: "signed_out", reason: "expired", address: "192.0.2.1", keyId: undefined };
  expect(lines).toEqual([
    ["signed_out", "console 192.0.2.1", { ...refused, request: { ...LINE, operation: undefined, status: 401, ms: 1 } }],
  ]);
});

test("where all are logged, each has a line, unless too many are refused", () => {
  const { lines, requestLog } = logged({ logRequests: true });
  requestLog.answered(EXCHANGE, PASSED);
  requestLog.answered(EXCHANGE, REFUSED);
  expect(lines).toMatchObject([
    ["console: request", { ...LINE, status: 200, ms: 1.235, address: "192.0.2.1" }],
    ["console: request", { ...LINE, status: 401, ms: 1, code: "signed_out", reason: "expired" }],
  ]);
  const flooded = logged({ logRequests: true, mayLogEach: false });
  flooded.requestLog.answered(EXCHANGE, REFUSED);
  expect(flooded.lines).toMatchObject([["signed_out", "console 192.0.2.1", { code: "signed_out" }]]);
});

test("a failure is reported with the request that met it", () => {
  const { lines, requestLog } = logged({ logRequests: false });
  const error = new Error("no");
  requestLog.failed(EXCHANGE, error);
  expect(lines).toEqual([["console: request failed", error, LINE]]);
});
