import type { FailureLog, Log, RefusalLog } from "../../telemetry/log.ts";
import type { Exchange } from "./pipeline.ts";
import { loggedPath } from "./request-id.ts";
import { traceContextOf } from "./trace-context.ts";

export interface RequestLogParts {
  readonly log: Log;
  readonly failures: FailureLog;
  readonly refusals: RefusalLog;
  /** True: every request is logged, and not only refusals and failures. */
  readonly logRequests: boolean;
}

/** The outcome of a request, for its line in the log. */
interface Answered {
  readonly operation?: string;
  readonly status: number;
  readonly tookMs: number;
  readonly keyId?: string | undefined;
  /** The code of an error. */
  readonly code?: string | undefined;
  /** Why the caller was refused, where one code stands for several reasons. */
  readonly reason?: string | undefined;
  /** The caller whose refusals are counted together; undefined: this request was not refused. */
  readonly refusedCaller?: string | undefined;
}

/** The lines about requests; `origin` begins their messages, such as "console: ". */
export class RequestLog {
  constructor(
    private readonly parts: RequestLogParts,
    private readonly origin = "",
  ) {}

  /** Anyone can cause as many refusals as they like, so those are always logged, but not each by itself. */
  answered(exchange: Exchange, { operation, status, tookMs, keyId, code, reason, refusedCaller }: Answered): void {
    const { log, refusals, logRequests } = this.parts;
    const { request, requestId } = exchange;
    const ms = Math.round(tookMs * 1e3) / 1e3;
    const line = () => ({ requestId, ...placeOf(request), operation, status, ms });
    if (code !== undefined && refusedCaller !== undefined && !(logRequests && refusals.mayLogEach()))
      refusals.report(code, refusedCaller, () => {
        const { address } = exchange;
        return { code, reason, address, keyId, request: line() };
      });
    else if (logRequests)
      log.info({ ...line(), address: exchange.address, keyId, code, reason }, `${this.origin}request`);
  }

  failed({ request, requestId }: Pick<Exchange, "request" | "requestId">, error: unknown): void {
    this.parts.failures.report(`${this.origin}request failed`, error, { requestId, ...placeOf(request) });
  }
}

/** The path of a request, and the trace that it belongs to, as the log has them: never with its query. */
export const placeOf = (request: Request): object => ({
  method: request.method,
  path: loggedPath(request.url),
  ...traceContextOf(request),
});
