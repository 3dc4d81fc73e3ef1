import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { countOf } from "../../../src/base/text/text.ts";
import type { CategoryView, PageView } from "../../../src/console/api/index.ts";
import { call } from "../../api.ts";
import { useCommands } from "../../commands/registry.ts";
import { choicesFor, meantBy } from "../../format/categories.ts";
import { quoted } from "../../format/names.ts";
import type { Category } from "../../format/stock.ts";
import { withParams } from "../../router.ts";
import { announce, say } from "../Toasts.tsx";

interface CategoryPickerProps {
  /** For a control without a visible label. */
  readonly label?: string;
  readonly id?: string;
  readonly placeholder?: string;
  /** Undefined if no category is chosen. */
  readonly value: Category | undefined;
  /** The category is undefined while the user types, and if the text matches none. */
  readonly onChange: (category: Category | undefined, text: string) => void;
  /** A filter above a list does not keep text that matches no category. */
  readonly isFilter?: boolean;
  readonly described?: object;
}

const TYPING_MS = 150;

const textOf = (value: Category | undefined): string => value?.name ?? value?.id ?? "";

/** Asks the server which category a text means, for users who do not wait for suggestions. */
export async function findCategory(text: string, signal?: AbortSignal): Promise<Category | undefined> {
  const { items } = await namedLike(text, signal);
  return meantBy(text, choicesFor(text, items));
}

const namedLike = (text: string, signal?: AbortSignal): Promise<PageView<CategoryView>> =>
  call(withParams("/categories", { name: text.trim() }), signal ? { signal } : {});

/** Suggestions for a text, debounced. */
function useNamed(text: string, isOpen: boolean): readonly CategoryView[] {
  const [named, setNamed] = useState<readonly CategoryView[]>([]);
  useEffect(() => {
    if (!isOpen) return;
    const leaving = new AbortController();
    const timer = setTimeout(() => {
      namedLike(text, leaving.signal).then(
        ({ items }) => setNamed(items),
        () => {
          // Without suggestions, the user can still type a number.
          if (!leaving.signal.aborted) setNamed([]);
        },
      );
    }, TYPING_MS);
    return () => {
      clearTimeout(timer);
      leaving.abort();
    };
  }, [text, isOpen]);
  return named;
}

/** Picks a category by name or number, with suggestions. Follows the ARIA practices for a combobox. */
export function CategoryPicker(props: CategoryPickerProps) {
  const { label, id, placeholder, value, onChange, isFilter = false, described = {} } = props;
  const listId = useId();
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(textOf(value));
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const choices = choicesFor(text, useNamed(text, isOpen));
  const shown = isOpen ? choices : [];
  const open = (): void => {
    input.current?.focus();
    setOpen(true);
  };
  useCommands([isFilter && { title: `${label}…`, run: open, isOnDemand: true }]);

  // The value was changed from outside, such as by the address.
  useLayoutEffect(() => {
    if (document.activeElement !== input.current) setText(textOf(value));
  }, [value?.id, value?.name]);
  useEffect(() => {
    if (isOpen && text !== "") announce(`${countOf(choices.length, "suggestion")}.`);
  }, [isOpen, choices.length]);

  function choose(choice: Category): void {
    setText(textOf(choice));
    setOpen(false);
    setActive(-1);
    onChange(choice, textOf(choice));
  }
  function type(typed: string): void {
    setText(typed);
    setOpen(true);
    setActive(-1);
    onChange(undefined, typed.trim());
  }
  function leave(): void {
    setOpen(false);
    setActive(-1);
    if (text.trim() !== "" && text.trim() !== textOf(value)) void settle();
  }
  /** Chooses the category that the typed text means. */
  async function settle(): Promise<void> {
    const meant = meantBy(text, choices) ?? (await findCategory(text).catch(() => undefined));
    if (meant) return choose(meant);
    if (!isFilter) return;
    say(`No category is called ${quoted(text.trim())}. Choose a suggestion, or enter a number.`);
    setText(textOf(value));
  }
  function onKeyDown(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      const count = choices.length;
      if (!isOpen) setOpen(true);
      else if (count > 0) setActive((last) => (last < 0 ? (step > 0 ? 0 : count - 1) : (last + step + count) % count));
    } else if (event.key === "Enter" && isOpen) {
      if (text.trim() === "" && active < 0) return;
      event.preventDefault();
      const choice = choices[active];
      if (choice) choose(choice);
      else void settle();
    } else if (event.key === "Escape" && isOpen) {
      // Escape closes the suggestions, not the dialog around them.
      event.preventDefault();
      event.stopPropagation();
      setOpen(false);
    }
  }

  return (
    <div class="picker">
      <input
        ref={input}
        id={id}
        type="text"
        role="combobox"
        dir="auto"
        aria-label={label}
        aria-expanded={shown.length > 0}
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={active >= 0 && shown[active] ? `${listId}-${active}` : undefined}
        placeholder={placeholder}
        autoComplete="off"
        spellcheck={false}
        value={text}
        {...described}
        onInput={(event) => type(event.currentTarget.value)}
        onClick={() => setOpen(true)}
        onKeyDown={onKeyDown}
        onBlur={leave}
      />
      <div id={listId} class="suggestions" role="listbox" aria-label="Categories" hidden={shown.length === 0}>
        {shown.map((choice, i) => (
          <Suggestion
            key={choice.id}
            id={`${listId}-${i}`}
            choice={choice}
            isActive={i === active}
            onChoose={() => choose(choice)}
          />
        ))}
      </div>
    </div>
  );
}

interface SuggestionProps {
  readonly id: string;
  readonly choice: Category;
  readonly isActive: boolean;
  readonly onChoose: () => void;
}

const Suggestion = ({ id, choice, isActive, onChoose }: SuggestionProps) => (
  <div
    id={id}
    role="option"
    tabIndex={-1}
    class="suggestion"
    aria-selected={isActive}
    // On mouse down, before the field loses the focus.
    onMouseDown={(event) => {
      event.preventDefault();
      onChoose();
    }}
  >
    <bdi>{choice.name ?? "Category"}</bdi> <span class="soft">{choice.id}</span>
  </div>
);
