import { signal } from "@preact/signals";
import { type Roles, WRITES_STOCK } from "../../src/domain/console-role.ts";
import { BASE } from "../router.ts";
import { may } from "../session.ts";
import { withStorage } from "../storage.ts";
import { focusFirstRow, moveToRow, pressInRow, pressLast } from "./rows.ts";

// The keyboard: one table, one listener. The dialog that shows the shortcuts is made from the same table.

/** The dialog of this folder that is open. */
export const opened = signal<"palette" | "shortcuts" | undefined>(undefined);

/** The part of the console that has the focus when a key is pressed. */
export type Place = "page" | "field" | "search" | "palette" | "dialog";

export interface Shortcut {
  /** The value of KeyboardEvent.key. "Mod+K" takes Command on a Mac, and Control elsewhere. */
  readonly press: string;
  readonly does: string;
  readonly group: "Everywhere" | "Lists and the board" | "Orders";
  readonly places: readonly Place[];
  /** The roles that may use it; undefined: all. */
  readonly roles?: Roles;
  /** Goes on while the key is held down. */
  readonly isRepeatable?: boolean;
  /** Undefined if the browser does it by itself. */
  readonly run?: () => void;
}

export const SHORTCUTS: readonly Shortcut[] = [
  {
    press: "Mod+K",
    does: "Go anywhere, find anything, do what the page can do",
    group: "Everywhere",
    places: ["page", "field", "search", "palette"],
    run: () => {
      opened.value = opened.value === "palette" ? undefined : "palette";
    },
  },
  { press: "/", does: "Search in the list, or everywhere", group: "Everywhere", places: ["page"], run: search },
  {
    press: "?",
    does: "Show these shortcuts",
    group: "Everywhere",
    places: ["page"],
    run: () => {
      opened.value = "shortcuts";
    },
  },
  {
    press: "j",
    does: "Next row or card",
    group: "Lists and the board",
    places: ["page"],
    isRepeatable: true,
    run: () => moveToRow(1),
  },
  {
    press: "k",
    does: "Previous row or card",
    group: "Lists and the board",
    places: ["page"],
    isRepeatable: true,
    run: () => moveToRow(-1),
  },
  {
    press: "ArrowDown",
    does: "From the search to the first row",
    group: "Lists and the board",
    places: ["search"],
    run: focusFirstRow,
  },
  { press: "Enter", does: "Open it", group: "Lists and the board", places: ["page"] },
  {
    press: "x",
    does: "Select the row, or no longer",
    group: "Lists and the board",
    places: ["page"],
    roles: WRITES_STOCK,
    run: () => pressInRow("x"),
  },
  {
    press: "a",
    does: "Approve the order, and go to the next",
    group: "Orders",
    places: ["page"],
    roles: WRITES_STOCK,
    run: () => pressInRow("a"),
  },
  {
    press: "u",
    does: "Undo what was done last, where that is offered",
    group: "Orders",
    places: ["page"],
    roles: WRITES_STOCK,
    run: () => pressLast("u"),
  },
];

const NAME = `${BASE} single keys`;

/** Speech input types letters by chance, so shortcuts of a single character can be switched off (WCAG 2.1.4). */
export const areSingleKeysOn = signal(withStorage((storage) => storage.getItem(NAME)) !== "off");

export function switchSingleKeys(isOn: boolean): void {
  areSingleKeysOn.value = isOn;
  withStorage((storage) => (isOn ? storage.removeItem(NAME) : storage.setItem(NAME, "off")));
}

/** For aria-keyshortcuts: tells screen readers the key of a button, and the listener which button it presses. */
export const keyOf = (press: string | undefined): string | undefined => (areSingleKeysOn.value ? press : undefined);

export const isSingleKey = ({ press }: Pick<Shortcut, "press">): boolean => press.length === 1;

type Pressed = Pick<
  KeyboardEvent,
  "key" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey" | "repeat" | "isComposing" | "defaultPrevented"
>;

interface Keyboard {
  readonly isMac: boolean;
  readonly areSingleKeysOn: boolean;
}

/** The shortcut that was pressed, if it means something there. */
export function shortcutOf(pressed: Pressed, place: Place, keyboard: Keyboard): Shortcut | undefined {
  const { key, ctrlKey, metaKey, altKey, shiftKey, repeat } = pressed;
  if (pressed.isComposing || pressed.defaultPrevented || altKey) return undefined;
  const [mod, otherMod] = keyboard.isMac ? [metaKey, ctrlKey] : [ctrlKey, metaKey];
  // Browsers have their own with Shift. Without a modifier, it may be what "?" is typed with.
  if (otherMod || (mod && shiftKey)) return undefined;
  const press = mod ? `Mod+${key.toUpperCase()}` : key;
  const shortcut = SHORTCUTS.find((each) => each.press === press && each.places.includes(place));
  if (!shortcut?.run || (repeat && !shortcut.isRepeatable)) return undefined;
  return isSingleKey(shortcut) && !keyboard.areSingleKeysOn ? undefined : shortcut;
}

export const IS_MAC = typeof navigator !== "undefined" && /Mac|iPhone|iPad/.test(navigator.platform);

/** "⌘ K"; "Ctrl K"; "↓" */
export const keysOf = ({ press }: Pick<Shortcut, "press">): readonly string[] =>
  press === "ArrowDown" ? ["↓"] : press.startsWith("Mod+") ? [IS_MAC ? "⌘" : "Ctrl", press.slice(4)] : [press];

function placeOf(target: EventTarget | null): Place {
  const dialog = document.querySelector("dialog[open]");
  if (dialog) return dialog.classList.contains("is-palette") ? "palette" : "dialog";
  if (!(target instanceof HTMLElement)) return "page";
  if (target.matches("input[type=search]")) return "search";
  // A letter means nothing to a checkbox, so who has ticked a row goes on by keys.
  return target.isContentEditable || target.matches("input:not([type=checkbox]), textarea, select") ? "field" : "page";
}

/** Focuses the search of the page's list, or opens the palette on a page without one. */
function search(): void {
  const field = document.querySelector<HTMLInputElement>("main input[type=search]");
  if (!field) opened.value = "palette";
  field?.focus();
  field?.select();
}

function onKeyDown(event: KeyboardEvent): void {
  const shortcut = shortcutOf(event, placeOf(event.target), { isMac: IS_MAC, areSingleKeysOn: areSingleKeysOn.value });
  if (!shortcut || !(shortcut.roles === undefined || may(shortcut.roles))) return;
  event.preventDefault();
  shortcut.run?.();
}

/** Returns a function that ends it. */
export function listenToKeys(): () => void {
  document.addEventListener("keydown", onKeyDown);
  return () => {
    document.removeEventListener("keydown", onKeyDown);
    opened.value = undefined;
  };
}
