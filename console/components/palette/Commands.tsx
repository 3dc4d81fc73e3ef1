import { useEffect } from "preact/hooks";
import type { Command } from "../../commands/registry.ts";
import { IS_MAC, keysOf, listenToKeys, opened, SHORTCUTS, type Shortcut } from "../../commands/shortcuts.ts";
import { Keys } from "./Keys.tsx";
import { Palette } from "./Palette.tsx";
import { ShortcutsDialog } from "./ShortcutsDialog.tsx";

/** The keyboard, and the dialogs that it opens. */
export function Commands({ destinations }: { readonly destinations: readonly Command[] }) {
  useEffect(listenToKeys, []);
  const close = (): void => {
    opened.value = undefined;
  };
  if (opened.value === "palette") return <Palette destinations={destinations} onClose={close} />;
  return opened.value === "shortcuts" ? <ShortcutsDialog onClose={close} /> : null;
}

const OPENS_PALETTE = SHORTCUTS[0] as Shortcut;

/** Opens the palette without a keyboard. */
export const Finder = () => (
  <button
    type="button"
    class="finder"
    aria-keyshortcuts={IS_MAC ? "Meta+K" : "Control+K"}
    onClick={() => {
      opened.value = "palette";
    }}
  >
    <svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
      <circle cx="7" cy="7" r="4.5" />
      <path d="m10.5 10.5 3.5 3.5" />
    </svg>
    <span class="finder-label">Find anything</span>
    <span class="finder-keys" aria-hidden="true">
      <Keys keys={keysOf(OPENS_PALETTE)} />
    </span>
  </button>
);
