import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Failure, sentenceOf } from "../../api.ts";
import type { Live } from "../../live.ts";

// What is shown instead of what there is not, or not yet.

interface EmptyProps {
  readonly title: string;
  /** What to do next: a sentence, a link or a button. */
  readonly children: ComponentChildren;
}

export const Empty = ({ title, children }: EmptyProps) => (
  <div class="blank">
    <h2>{title}</h2>
    <p>{children}</p>
  </div>
);

const SLOW_MS = 300;

/** Says nothing for a moment: what comes at once needs no announcement. */
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
  /** Where the list begins, for an address that leads nowhere. */
  readonly restart?: string | undefined;
}

/** Whether another address would help: what is not reachable is so at any. */
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

/** Beside what is still shown: it may be out of date. */
export const Outdated = ({ error }: { readonly error: unknown }) => (
  <p class="notice" role="status">
    <b>Not up to date.</b> {sentenceOf(error)}
  </p>
);

interface LoadedProps<T> {
  readonly live: Live<T>;
  /** "the keys" */
  readonly what: string;
  readonly restart?: string;
  readonly children: (data: T) => ComponentChildren;
}

/** Loading, then what there is, or what went wrong; what is known already stays, with a note that it may be outdated. */
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
