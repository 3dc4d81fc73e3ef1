import { useEffect, useId, useRef, useState } from "preact/hooks";
import { countOf } from "../../../src/base/text/text.ts";
import { READS_KEYS } from "../../../src/domain/console-role.ts";
import { isStillFound, matching } from "../../commands/matching.ts";
import { type Command, currentCommands } from "../../commands/registry.ts";
import { areSingleKeysOn, opened } from "../../commands/shortcuts.ts";
import { quoted } from "../../format/names.ts";
import { may } from "../../session.ts";
import { Dialog } from "../dialogs/Dialog.tsx";
import { announce } from "../Toasts.tsx";
import { Badge } from "../tables/StateBadge.tsx";
import { type Choice, type Found, find } from "./find.ts";
import { Keys } from "./Keys.tsx";

interface PaletteProps {
  /** The pages that this person may see. */
  readonly destinations: readonly Command[];
  readonly onClose: () => void;
}

interface Group {
  readonly title: string;
  readonly choices: readonly (Choice & Pick<Command, "press">)[];
}

const TYPING_MS = 150;
const NAME_MAX_LENGTH = 100;
/** No group pushes all others out of sight. */
const MATCHES_SHOWN = 8;

/** Groups the matching commands: of the page, to other pages, and of the console itself. */
function commandGroups(destinations: readonly Command[], text: string): readonly Group[] {
  const all = currentCommands().filter(({ isOnDemand }) => text !== "" || !isOnDemand);
  const general = [SHOW_SHORTCUTS, ...all.filter(({ isGeneral }) => isGeneral)];
  const groups = [
    ["On this page", all.filter(({ isGeneral }) => !isGeneral)],
    ["Go to", destinations],
    ["Console", general],
  ] as const;
  return groups.map(([title, commands]) => {
    const found = matching(commands, text).map((command) => ({ ...command, id: `${title} ${command.title}` }));
    return { title, choices: text === "" ? found : found.slice(0, MATCHES_SHOWN) };
  });
}

const SHOW_SHORTCUTS: Command = {
  title: "Show the keyboard shortcuts",
  press: "?",
  run: () => {
    opened.value = "shortcuts";
  },
};

interface Finding {
  readonly text: string;
  readonly found: Found;
}

const NOTHING: Found = { groups: [], problem: undefined };

/** Asks the server for a text. Of an answer to an earlier text, only the results that still match are kept. */
function useFound(text: string): { readonly found: Found; readonly isPending: boolean } {
  const [last, setLast] = useState<Finding>({ text: "", found: NOTHING });
  useEffect(() => {
    if (text === "") return setLast({ text, found: NOTHING });
    const leaving = new AbortController();
    const timer = setTimeout(async () => {
      const found = await find(text, leaving.signal);
      if (!leaving.signal.aborted) setLast({ text, found });
    }, TYPING_MS);
    return () => {
      clearTimeout(timer);
      leaving.abort();
    };
  }, [text]);
  if (last.text === text) return { found: last.found, isPending: false };
  if (text === "") return { found: NOTHING, isPending: false };
  const groups = last.found.groups.map(({ title, choices }) => ({
    title,
    choices: choices.filter(({ names }) => isStillFound(names, text)),
    all: undefined,
  }));
  return { found: { groups, problem: undefined }, isPending: true };
}

/** The index of the choice that Enter means. What is found later does not take its place. */
function useActive(choices: readonly Choice[]): readonly [number, (id: string | undefined) => void] {
  const [activeId, setActiveId] = useState<string | undefined>(undefined);
  const index = choices.findIndex(({ id }) => id === activeId);
  const active = Math.max(index, 0);
  useEffect(() => {
    if (index < 0) setActiveId(choices[0]?.id);
  });
  return [active, setActiveId];
}

/** Goes anywhere, finds anything, and does what the page can do. Follows the ARIA practices for a combobox. */
export function Palette({ destinations, onClose }: PaletteProps) {
  const [typed, setTyped] = useState("");
  const text = typed.trim();
  const { found, isPending } = useFound(text);
  const groups: readonly Group[] = [
    ...commandGroups(destinations, text),
    ...found.groups.map(({ title, choices, all }) => ({ title, choices: all ? [...choices, all] : choices })),
  ].filter(({ choices }) => choices.length > 0);
  const choices = groups.flatMap(({ choices }) => choices);
  const [active, setActiveId] = useActive(choices);
  useEffect(() => {
    if (!isPending && text !== "") announce(`${countOf(choices.length, "result")}.`);
  }, [isPending, text, choices.length]);
  // Otherwise the page would announce it once more.
  useEffect(() => () => announce(""), []);

  function choose({ run }: Choice): void {
    onClose();
    // After the dialog has returned the focus.
    setTimeout(run);
  }
  /** Enter may come before the answer: then it means the first thing that is found. */
  const isChoosing = useRef(false);
  useEffect(() => {
    if (isPending || !isChoosing.current) return;
    isChoosing.current = false;
    const [first] = choices;
    if (first) choose(first);
  }, [isPending]);
  function enter(): void {
    const choice = choices[active];
    if (choice) choose(choice);
    else isChoosing.current = isPending;
  }
  function type(next: string): void {
    isChoosing.current = false;
    setTyped(next);
    setActiveId(undefined);
  }
  return (
    <Dialog title="Find anything" isPalette onClose={onClose}>
      <Field
        typed={typed}
        choices={choices}
        active={active}
        onType={type}
        onMove={(choice) => setActiveId(choice?.id)}
        onEnter={enter}
      />
      <Results groups={groups} activeId={choices[active]?.id} onMove={setActiveId} onChoose={choose} />
      {choices.length === 0 && found.problem === undefined && (
        <p class="palette-note">{isPending ? "Searching…" : `Nothing was found for ${quoted(text)}.`}</p>
      )}
      {found.problem !== undefined && (
        <p class="notice" role="alert">
          {found.problem}
        </p>
      )}
      <div class="palette-foot">
        <span class="only-wide" aria-hidden="true">
          <Keys keys={["↑", "↓"]} /> choose <Keys keys={["Enter"]} /> open
        </span>
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}

const LIST_ID = "palette-results";
const optionId = (id: string): string => `palette ${id}`.replaceAll(" ", "-");

interface FieldProps {
  readonly typed: string;
  readonly choices: readonly Choice[];
  readonly active: number;
  readonly onType: (text: string) => void;
  readonly onMove: (choice: Choice | undefined) => void;
  readonly onEnter: () => void;
}

function Field({ typed, choices, active, onType, onMove, onEnter }: FieldProps) {
  function onKeyDown(event: KeyboardEvent): void {
    if (event.isComposing) return;
    const count = choices.length;
    const next = {
      ArrowDown: (active + 1) % count,
      ArrowUp: (active - 1 + count) % count,
      Home: 0,
      End: count - 1,
    }[event.key];
    if (next !== undefined && !event.shiftKey) {
      event.preventDefault();
      onMove(choices[next]);
    } else if (event.key === "Enter") {
      event.preventDefault();
      onEnter();
    }
  }
  const current = choices[active];
  return (
    <input
      class="palette-field"
      type="text"
      role="combobox"
      dir="auto"
      aria-label="Find anything"
      aria-expanded={choices.length > 0}
      aria-controls={LIST_ID}
      aria-autocomplete="list"
      aria-activedescendant={current && optionId(current.id)}
      placeholder={`Page, action, ${may(READS_KEYS) ? "key, " : ""}animal or order`}
      autoComplete="off"
      spellcheck={false}
      maxLength={NAME_MAX_LENGTH}
      value={typed}
      // A native dialog moves the focus to this field.
      {...{ autofocus: true }}
      onInput={(event) => onType(event.currentTarget.value)}
      onKeyDown={onKeyDown}
    />
  );
}

interface ResultsProps {
  readonly groups: readonly Group[];
  readonly activeId: string | undefined;
  readonly onMove: (id: string) => void;
  readonly onChoose: (choice: Choice) => void;
}

function Results({ groups, activeId, onMove, onChoose }: ResultsProps) {
  const list = useRef<HTMLDivElement>(null);
  const titleId = useId();
  useEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [activeId]);
  return (
    <div
      ref={list}
      id={LIST_ID}
      class="palette-results"
      role="listbox"
      aria-label="Results"
      tabIndex={-1}
      hidden={groups.length === 0}
    >
      {groups.map(({ title, choices }, i) => (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot have options
        <div key={title} role="group" aria-labelledby={`${titleId}-${i}`}>
          <div id={`${titleId}-${i}`} class="palette-group">
            {title}
          </div>
          {choices.map((choice) => (
            <Option
              key={choice.id}
              choice={choice}
              isActive={choice.id === activeId}
              onMove={() => onMove(choice.id)}
              onChoose={() => onChoose(choice)}
            />
          ))}
        </div>
      ))}
    </div>
  );
}

interface OptionProps {
  readonly choice: Group["choices"][number];
  readonly isActive: boolean;
  readonly onMove: () => void;
  readonly onChoose: () => void;
}

const Option = ({ choice: { id, title, note, state, press }, isActive, onMove, onChoose }: OptionProps) => (
  // biome-ignore lint/a11y/useKeyWithClickEvents: the field keeps the focus, and its keys choose
  <div
    id={optionId(id)}
    role="option"
    tabIndex={-1}
    class="palette-option"
    aria-selected={isActive}
    // Not when it enters by being scrolled below the pointer.
    onMouseMove={isActive ? undefined : onMove}
    // The field keeps the focus.
    onMouseDown={(event) => event.preventDefault()}
    onClick={onChoose}
  >
    <span class="palette-title">
      <bdi>{title}</bdi>
      {note !== undefined && <bdi class="soft small">{note}</bdi>}
    </span>
    {state && <Badge {...state} />}
    {press !== undefined && areSingleKeysOn.value && <Keys keys={[press]} />}
  </div>
);
