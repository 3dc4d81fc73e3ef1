import { useEffect, useState } from "preact/hooks";
import type { AskFailure } from "./ask.ts";

/** The time of day with seconds, because a limit often ends within a minute. */
const timeOf = (ms: number): string =>
  new Date(ms).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });

/** Shows an error, and until when nothing should be sent, if the service has said so. */
export const Failed = ({ failure }: { readonly failure: AskFailure }) => (
  <p class="notice is-problem" role="alert">
    <span>
      {failure.message}
      {failure.againAtMs !== undefined && (
        <>
          {" "}
          This ends at <b>{timeOf(failure.againAtMs)}</b>.
        </>
      )}
    </span>
  </p>
);

/** True until the limit that a failure tells of has ended. Requests before that would only count against the key. */
export function useIsLimited(failure: AskFailure | undefined): boolean {
  const againAtMs = failure?.againAtMs;
  const [isLimited, setLimited] = useState(false);
  useEffect(() => {
    const leftMs = (againAtMs ?? 0) - Date.now();
    setLimited(leftMs > 0);
    if (leftMs <= 0) return;
    const timer = setTimeout(() => setLimited(false), leftMs);
    return () => clearTimeout(timer);
  }, [againAtMs]);
  return isLimited;
}
