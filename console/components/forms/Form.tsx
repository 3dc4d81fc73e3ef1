import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Failure, sentenceOf } from "../../api.ts";
import { useCommands } from "../../commands/registry.ts";

// Forms that show errors beside the fields that they are about.

interface FormProps {
  /** If it throws, the error is shown, beside the field that it names. */
  readonly onSubmit: () => Promise<void>;
  readonly onCancel: () => void;
  /** The way out, if it says more than "Cancel". */
  readonly cancel?: string;
  readonly submit: string;
  readonly isDanger?: boolean;
  readonly isReady?: boolean;
  /** The names of its fields. Mistakes in other fields are shown at the end of the form. */
  readonly fields: readonly string[];
  readonly children: (mistakeIn: (field: string) => string | undefined) => ComponentChildren;
}

export function Form(props: FormProps) {
  const { onSubmit, onCancel, cancel = "Cancel", submit, isDanger = false, isReady = true, fields, children } = props;
  const form = useRef<HTMLFormElement>(null);
  const [error, setError] = useState<unknown>(undefined);
  const [isBusy, setBusy] = useState(false);
  const mistakes = error instanceof Failure ? error.mistakes : [];
  const elsewhere = mistakes.filter(({ field }) => !fields.includes(field)).map(({ message }) => message);
  const atEnd = mistakes.length === 0 && error !== undefined ? [sentenceOf(error)] : elsewhere;

  useLayoutEffect(() => {
    if (error !== undefined) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [error]);

  async function send(event: Event): Promise<void> {
    event.preventDefault();
    if (isBusy || !isReady) return;
    setBusy(true);
    setError(undefined);
    try {
      await onSubmit();
    } catch (thrown) {
      setError(thrown);
    } finally {
      setBusy(false);
    }
  }

  return (
    <form ref={form} class="stack" noValidate onSubmit={send}>
      {children((name) => mistakes.find(({ field }) => field === name)?.message)}
      {atEnd.length > 0 && (
        <p class="notice is-problem" role="alert">
          {atEnd.join(" ")}
        </p>
      )}
      <div class="dialog-buttons">
        <button type="button" onClick={onCancel}>
          {cancel}
        </button>
        <button type="submit" class={isDanger ? "is-main is-danger" : "is-main"} disabled={!isReady} aria-busy={isBusy}>
          {submit}
        </button>
      </div>
    </form>
  );
}

interface Labelled {
  readonly label: string;
  readonly hint?: ComponentChildren;
  readonly mistake?: string | undefined;
}

/** Connects a control with its hint and its error. */
export function useDescription({ hint, mistake }: Pick<Labelled, "hint" | "mistake">) {
  const id = useId();
  const parts = [hint !== undefined && `${id}-hint`, mistake !== undefined && `${id}-mistake`].filter(Boolean);
  const described = {
    "aria-describedby": parts.join(" ") || undefined,
    "aria-invalid": mistake === undefined ? undefined : true,
  } as const;
  const notes = (
    <>
      {hint !== undefined && (
        <span id={`${id}-hint`} class="hint">
          {hint}
        </span>
      )}
      {mistake !== undefined && (
        <span id={`${id}-mistake`} class="mistake">
          {mistake}
        </span>
      )}
    </>
  );
  return { id, described, notes };
}

interface TextFieldProps extends Labelled {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly type?: "text" | "number" | "datetime-local";
  readonly min?: string | number;
  readonly max?: string | number;
  readonly isFocused?: boolean;
}

export function TextField({
  label,
  value,
  onChange,
  type = "text",
  isFocused = false,
  min,
  max,
  ...notes
}: TextFieldProps) {
  const field = useDescription(notes);
  return (
    <div class="field">
      <label for={field.id}>{label}</label>
      <input
        id={field.id}
        type={type}
        dir={type === "text" ? "auto" : undefined}
        value={value}
        min={min}
        max={max}
        inputMode={type === "number" ? "numeric" : undefined}
        autoComplete="off"
        spellcheck={false}
        // A native dialog moves the focus to this field.
        {...(isFocused ? { autofocus: true } : {})}
        {...field.described}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
      {field.notes}
    </div>
  );
}

interface SelectFieldProps<T extends string> extends Labelled {
  readonly value: T;
  readonly options: readonly { readonly value: T; readonly label: string }[];
  readonly onChange: (value: T) => void;
}

export function SelectField<T extends string>({ label, value, options, onChange, ...notes }: SelectFieldProps<T>) {
  const field = useDescription(notes);
  return (
    <div class="field">
      <label for={field.id}>{label}</label>
      <select id={field.id} {...field.described} onChange={(event) => onChange(event.currentTarget.value as T)}>
        {options.map((option) => (
          <option key={option.value} value={option.value} selected={option.value === value}>
            {option.label}
          </option>
        ))}
      </select>
      {field.notes}
    </div>
  );
}

interface ChoicesProps<T extends string> extends Labelled {
  readonly options: readonly { readonly value: T; readonly label: string }[];
  readonly chosen: readonly T[];
  readonly onChange: (chosen: readonly T[]) => void;
}

/** A group of checkboxes. */
export function Choices<T extends string>({ label, options, chosen, onChange, ...notes }: ChoicesProps<T>) {
  const field = useDescription(notes);
  const toggled = (value: T): readonly T[] =>
    chosen.includes(value) ? chosen.filter((other) => other !== value) : [...chosen, value];
  return (
    <fieldset class="field" aria-describedby={field.described["aria-describedby"]}>
      <legend>{label}</legend>
      <div class="choices">
        {options.map((option) => (
          <label key={option.value} class="choice">
            <input
              type="checkbox"
              checked={chosen.includes(option.value)}
              aria-invalid={field.described["aria-invalid"]}
              onChange={() => onChange(toggled(option.value))}
            />
            {option.label}
          </label>
        ))}
      </div>
      {field.notes}
    </fieldset>
  );
}

interface CheckProps {
  readonly label: string;
  readonly hint?: string;
  readonly isChecked: boolean;
  readonly onChange: (isChecked: boolean) => void;
}

/** A single checkbox. */
export const Check = ({ label, hint, isChecked, onChange }: CheckProps) => (
  <label class="choice">
    <input type="checkbox" checked={isChecked} onChange={(event) => onChange(event.currentTarget.checked)} />
    <span>
      {label} {hint && <span class="soft small">{hint}</span>}
    </span>
  </label>
);

interface FilterProps<T extends string> {
  readonly class?: string;
  readonly label: string;
  readonly value: T | "";
  /** The label of the option without a filter: "All plans". */
  readonly all: string;
  readonly options: readonly { readonly value: T; readonly label: string }[];
  readonly onChange: (value: T | "") => void;
}

/** A filter above a list. */
export function Filter<T extends string>({ class: look, label, value, all, options, onChange }: FilterProps<T>) {
  const choices = [{ value: "" as const, label: all }, ...options];
  useCommands(
    choices.map((choice) => ({
      title: `${label}: ${choice.label}`,
      run: () => onChange(choice.value),
      isOnDemand: true,
    })),
  );
  return (
    <select class={look} aria-label={label} onChange={(event) => onChange(event.currentTarget.value as T | "")}>
      {choices.map((choice) => (
        <option key={choice.value} value={choice.value} selected={choice.value === value}>
          {choice.label}
        </option>
      ))}
    </select>
  );
}

const TYPING_MS = 250;

interface SearchProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** A debounced search field. The typed text stays until the address changes. */
export function Search({ label, value, onChange }: SearchProps) {
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const typed = useRef(value);
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    if (value !== typed.current && input.current) input.current.value = value;
    typed.current = value;
    return () => clearTimeout(timer.current);
  }, [value]);
  return (
    <input
      ref={input}
      class="search"
      type="search"
      dir="auto"
      defaultValue={value}
      placeholder={label}
      aria-label={label}
      autoComplete="off"
      spellcheck={false}
      onInput={(event) => {
        const text = event.currentTarget.value;
        clearTimeout(timer.current);
        timer.current = setTimeout(() => {
          typed.current = text.trim();
          onChange(text.trim());
        }, TYPING_MS);
      }}
    />
  );
}
