import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Failure, sentenceOf } from "../../api.ts";
import type { Live } from "../../live.ts";

// Placeholders for content that is empty, loading or failed.

interface EmptyProps {
  readonly title: string;
  /** Says what to do next, in a sentence, a link or a button. */
  readonly children: ComponentChildren;
}

export const Empty = ({ title, children }: EmptyProps) => (
  <div class="blank">
    <h2>{title}</h2>
    <p>{children}</p>
  </div>
);

const SLOW_MS = 300;

/** Appears after a delay, so that fast loads show no flicker. */
export function Loading({ what }: { readonly what: string }) {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), SLOW_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div class="blank" aria-busy="true">
      <p role="status">{isSlow ? `Loading ${what}…` : ""}</p>
    </div>
  );
}

interface ProblemProps {
  readonly error: unknown;
  readonly retry: () => void;
  /** The start of the list, for an address that leads nowhere. */
  readonly restart?: string | undefined;
}

/** True if another address would help: an unreachable server is so at any. */
const isOfAddress = (error: unknown): boolean => error instanceof Failure && error.status >= 400 && error.status < 500;

const isNotFound = (error: unknown): boolean => error instanceof Failure && error.status === 404;

export const Problem = ({ error, retry, restart }: ProblemProps) => (
  <div class="blank" role="alert">
    <h2>{isNotFound(error) ? "Not found" : "This could not be loaded"}</h2>
    <p>{sentenceOf(error)}</p>
    <div class="row">
      <button type="button" onClick={retry}>
        Try again
      </button>
      {restart !== undefined && isOfAddress(error) && (
        <a class="button" href={restart}>
          {isNotFound(error) ? "Go to the list" : "Start over"}
        </a>
      )}
    </div>
  </div>
);

/** A notice that the content shown may be out of date. */
export const Outdated = ({ error }: { readonly error: unknown }) => (
  <p class="notice" role="status">
    <b>Out of date.</b> {sentenceOf(error)}
  </p>
);

interface LoadedProps<T> {
  readonly live: Live<T>;
  /** "the keys" */
  readonly what: string;
  readonly restart?: string;
  readonly children: (data: T) => ComponentChildren;
}

/** Shows that data is loading, then the data or the error. After a failed poll, the last data stays, with a notice. */
export function Loaded<T>({ live, what, restart, children }: LoadedProps<T>) {
  const { data, error, reload } = live;
  if (data === undefined)
    return error === undefined ? <Loading what={what} /> : <Problem error={error} retry={reload} restart={restart} />;
  return (
    <>
      {error !== undefined && <Outdated error={error} />}
      {children(data)}
    </>
  );
}
