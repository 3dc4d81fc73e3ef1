import { areSingleKeysOn, isSingleKey, keysOf, SHORTCUTS, switchSingleKeys } from "../../commands/shortcuts.ts";
import { may } from "../../session.ts";
import { Dialog } from "../dialogs/Dialog.tsx";
import { Check } from "../forms/Form.tsx";
import { Keys } from "./Keys.tsx";

/** All shortcuts of this role, and the switch for those of a single character. */
export function ShortcutsDialog({ onClose }: { readonly onClose: () => void }) {
  const groups = Map.groupBy(
    SHORTCUTS.filter(({ roles }) => roles === undefined || may(roles)),
    ({ group }) => group,
  );
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <div class="stack shortcut-groups" tabIndex={-1} {...{ autofocus: true }}>
        {[...groups].map(([group, shortcuts]) => (
          <section key={group} class="stack is-tight">
            <h3>{group}</h3>
            <dl class="shortcuts">
              {shortcuts.map((shortcut) => {
                const isOff = isSingleKey(shortcut) && !areSingleKeysOn.value;
                return (
                  <div key={shortcut.press} class={isOff ? "is-off" : undefined}>
                    <dt>
                      <Keys keys={keysOf(shortcut)} />
                    </dt>
                    <dd>
                      {shortcut.does}
                      {isOff && <span class="unseen">, switched off</span>}
                    </dd>
                  </div>
                );
              })}
            </dl>
          </section>
        ))}
      </div>
      <Check
        label="Shortcuts of a single key"
        hint="Switch them off if you speak your text, or press keys by accident. This browser remembers it."
        isChecked={areSingleKeysOn.value}
        onChange={switchSingleKeys}
      />
      <div class="dialog-buttons">
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}
