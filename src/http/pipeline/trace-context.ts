/** W3C Trace Context: version, trace id, parent id and flags. A later version may append more, after a hyphen. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const FIRST_VERSION = "00";

/**
 * Reads the trace of a request that is logged, under the names that OpenTelemetry gives these fields; the span is the
 * caller's. An invalid header counts as absent, so only hexadecimal digits of these lengths get into the log.
 */
export function traceContextOf(request: Request) {
  const parts = TRACEPARENT.exec(request.headers.get("traceparent") ?? "");
  if (!parts) return undefined;
  const [, version, trace_id, span_id, trace_flags, rest] = parts;
  if (version === FIRST_VERSION && rest !== undefined) return undefined;
  return { trace_id, span_id, trace_flags };
}
