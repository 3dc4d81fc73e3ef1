import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { countOf } from "../../../src/base/text/text.ts";
import type { Awaitable } from "../../../src/base/time/awaitable.ts";
import { grouped } from "../../format/numbers.ts";
import { Dialog } from "../dialogs/Dialog.tsx";
import { Form, TextField } from "../forms/Form.tsx";
import { Progress } from "../Progress.tsx";
import { announce, say } from "../Toasts.tsx";
import { actOnEach, type Outcome, type Refused } from "./act-on-each.ts";

/** The rows that something is done to, and what becomes of them. */
export interface Many<T> {
  readonly rows: readonly T[];
  /** The number of those that are ticked, too, but that it cannot be done to. */
  readonly others: number;
  /** "key" */
  readonly noun: string;
  readonly nameOf: (row: T) => string;
  readonly onDone: (done: readonly T[]) => void;
  readonly onClose: () => void;
}

/** The request for each row. */
export interface RowRequest<T> {
  /** "suspended" */
  readonly done: string;
  readonly send: (row: T) => Promise<unknown>;
}

interface ActOnAllProps<T> {
  readonly many: Many<T>;
  /** "Suspend" */
  readonly verb: string;
  /** Called once the question is answered. If it throws, the error is shown in the form, and nothing is sent. */
  readonly prepare: () => Awaitable<RowRequest<T>>;
  /** The consequence, in a sentence. */
  readonly children: ComponentChildren;
  /** It cannot be undone, so the number has to be typed. */
  readonly isFinal?: boolean;
  /** Renders the fields to be filled in first. */
  readonly fields?: (mistakeIn: (field: string) => string | undefined) => ComponentChildren;
  readonly fieldNames?: readonly string[];
}

type Phase<T> =
  | { readonly kind: "asking" }
  | { readonly kind: "working"; readonly finished: number }
  | { readonly kind: "reported"; readonly done: string; readonly outcome: Outcome<T> };

/** Asks one question, does it to each row, and reports what became of all. Those that were refused stay ticked. */
export function ActOnAll<T>(props: ActOnAllProps<T>) {
  const { many, verb, prepare } = props;
  const { rows, noun, onDone, onClose } = many;
  const [phase, setPhase] = useState<Phase<T>>({ kind: "asking" });
  const stopping = useRef(new AbortController());
  useEffect(() => () => stopping.current.abort(), []);
  const count = countOf(rows.length, noun);

  async function act(): Promise<void> {
    const { done, send } = await prepare();
    setPhase({ kind: "working", finished: 0 });
    const outcome = await actOnEach(rows, send, {
      signal: stopping.current.signal,
      onProgress: (finished) => setPhase({ kind: "working", finished }),
    });
    onDone(outcome.done);
    if (outcome.done.length < rows.length) return setPhase({ kind: "reported", done, outcome });
    onClose();
    say(`${count} ${wereOf(rows.length)} ${done}.`);
  }
  const titles = { asking: `${verb} ${count}?`, working: `${verb} ${count}`, reported: "Not all were changed" };
  return (
    <Dialog title={titles[phase.kind]} onClose={onClose} isKept={phase.kind === "working"}>
      {phase.kind === "asking" && <Question {...props} onSubmit={act} />}
      {phase.kind === "working" && (
        <Working finished={phase.finished} of={rows.length} onStop={() => stopping.current.abort()} />
      )}
      {phase.kind === "reported" && <Report many={many} done={phase.done} outcome={phase.outcome} />}
    </Dialog>
  );
}

const wereOf = (count: number): string => (count === 1 ? "was" : "were");

const NAMED = 5;

type QuestionProps<T> = ActOnAllProps<T> & { readonly onSubmit: () => Promise<void> };

function Question<T>({ many, verb, children, isFinal = false, fields, fieldNames = [], onSubmit }: QuestionProps<T>) {
  const { rows, others, noun, nameOf, onClose } = many;
  const [typed, setTyped] = useState("");
  const number = String(rows.length);
  return (
    <>
      <p>
        {rows.slice(0, NAMED).map((row, i) => (
          <>
            {i > 0 && ", "}
            <bdi class="strong">{nameOf(row)}</bdi>
          </>
        ))}
        {rows.length > NAMED && ` and ${grouped(rows.length - NAMED)} more`}
      </p>
      <p>{children}</p>
      {others > 0 && (
        <p class="soft">
          This cannot be done to {countOf(others, `other selected ${noun}`)}, which{" "}
          {others === 1 ? "stays as it is" : "stay as they are"}.
        </p>
      )}
      <Form
        onSubmit={onSubmit}
        onCancel={onClose}
        cancel={rows.length === 1 ? "Leave it as it is" : "Leave them as they are"}
        submit={`${verb} ${countOf(rows.length, noun)}`}
        isDanger={isFinal}
        isReady={!isFinal || typed.trim() === number}
        fields={fieldNames}
      >
        {(mistakeIn) => (
          <>
            {fields?.(mistakeIn)}
            {isFinal && <TextField label={`Type ${number} to confirm`} value={typed} onChange={setTyped} isFocused />}
          </>
        )}
      </Form>
    </>
  );
}

interface WorkingProps {
  readonly finished: number;
  readonly of: number;
  readonly onStop: () => void;
}

function Working({ finished, of, onStop }: WorkingProps) {
  const [isStopping, setStopping] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => button.current?.focus(), []);
  return (
    <>
      <div>
        <Progress label="Progress" share={finished / of} />
        <p>{isStopping ? "Stopping…" : `${grouped(finished)} of ${grouped(of)}`}</p>
      </div>
      <div class="dialog-buttons">
        <button
          ref={button}
          type="button"
          aria-disabled={isStopping}
          onClick={() => {
            setStopping(true);
            onStop();
          }}
        >
          Stop
        </button>
      </div>
    </>
  );
}

interface ReportProps<T> {
  readonly many: Many<T>;
  readonly done: string;
  readonly outcome: Outcome<T>;
}

function Report<T>({ many: { noun, nameOf, onClose }, done, outcome }: ReportProps<T>) {
  const { refused, left } = outcome;
  const close = useRef<HTMLButtonElement>(null);
  const count = outcome.done.length;
  const words = [
    count === 0 ? `No ${noun} was ${done}.` : `${countOf(count, noun)} ${wereOf(count)} ${done}.`,
    refused.length > 0 &&
      `${grouped(refused.length)} ${wereOf(refused.length)} refused, and ${stayOf(refused.length)} selected.`,
    left.length > 0 && `${grouped(left.length)} ${wereOf(left.length)} not begun, and ${stayOf(left.length)} selected.`,
  ];
  const text = words.filter(Boolean).join(" ");
  useEffect(() => {
    announce(text);
    close.current?.focus();
  }, []);
  return (
    <>
      <p>{text}</p>
      {refused.length > 0 && (
        <ul class="refusals" aria-label="Refused">
          {[...byReason(refused)].map(([reason, rows]) => (
            <li key={reason}>
              <bdi class="strong">{rows.map(nameOf).join(", ")}</bdi> <span class="soft">{reason}</span>
            </li>
          ))}
        </ul>
      )}
      <div class="dialog-buttons">
        <button ref={close} type="button" class="is-main" onClick={onClose}>
          Close
        </button>
      </div>
    </>
  );
}

const stayOf = (count: number): string => (count === 1 ? "stays" : "stay");

/** Most refusals have the same reason, which is shown once. */
function byReason<T>(refused: readonly Refused<T>[]): ReadonlyMap<string, readonly T[]> {
  const rows = new Map<string, readonly T[]>();
  for (const { row, reason } of refused) rows.set(reason, [...(rows.get(reason) ?? []), row]);
  return rows;
}
