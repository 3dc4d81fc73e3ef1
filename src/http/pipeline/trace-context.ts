/** The trace that a request belongs to, under the names that OpenTelemetry gives these fields in a JSON log. */
export interface TraceContext {
  readonly trace_id: string;
  /** The caller's span: this service starts none of its own. */
  readonly span_id: string;
  readonly trace_flags: string;
}

/** W3C Trace Context: version, trace id, parent id and flags. A later version may append more, after a hyphen. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const FIRST_VERSION = "00";

/**
 * Reads the traceparent header of a request that is logged. An invalid one counts as absent, as the specification
 * demands, so nothing but lower-case hexadecimal digits of these lengths gets into the log.
 */
export function traceContextOf(request: Request): TraceContext | undefined {
  const parts = TRACEPARENT.exec(request.headers.get("traceparent") ?? "");
  if (!parts) return undefined;
  const [, version, trace_id, span_id, trace_flags, rest] = parts as unknown as [string, ...string[]];
  if (version === FIRST_VERSION && rest !== undefined) return undefined;
  return { trace_id, span_id, trace_flags } as TraceContext;
}
