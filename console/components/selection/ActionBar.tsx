import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { countOf } from "../../../src/base/text/text.ts";
import { CommandButton } from "../../commands/CommandButton.tsx";
import { useCommands } from "../../commands/registry.ts";
import { announce } from "../Toasts.tsx";
import type { Many } from "./ActOnAll.tsx";
import type { Selection } from "./selection.ts";

/** Something that can be done to several rows at once. */
export interface BulkAction<T> {
  /** "Suspend" */
  readonly verb: string;
  readonly isDanger?: boolean;
  readonly canDo: (row: T) => boolean;
  /** The dialog that asks first. */
  readonly ask: (many: Many<T>) => ComponentChildren;
}

interface ActionBarProps<T> {
  readonly selection: Selection<T>;
  readonly actions: readonly BulkAction<T>[];
  /** "key" */
  readonly noun: string;
  /** Called when something was done to some of the rows. */
  readonly onChanged: () => void;
}

/** The bar of actions on the ticked rows. It stays in sight while the list is scrolled. */
export function ActionBar<T>({ selection, actions, noun, onChanged }: ActionBarProps<T>) {
  const { rows, tickAll, tickNone } = selection;
  const [asking, setAsking] = useState<ComponentChildren>(undefined);
  const close = (): void => setAsking(undefined);
  const count = countOf(rows.length, noun);
  const commands = actions.flatMap(({ verb, isDanger, canDo, ask }) => {
    const able = rows.filter(canDo);
    const others = rows.length - able.length;
    const onDone = (done: readonly T[]): void => {
      selection.drop(done);
      onChanged();
    };
    const run = (): void =>
      setAsking(ask({ rows: able, others, noun, nameOf: selection.nameOf, onDone, onClose: close }));
    return able.length === 0 ? [] : [{ title: `${verb}… (${count} selected)`, verb, isDanger, run }];
  });
  useEffect(() => {
    if (rows.length > 0) announce(`${count} selected.`);
  }, [rows.length]);
  const none = rows.length > 0 && { title: "Select none", run: tickNone };
  useCommands([...commands, none, { title: "Select all on this page", run: tickAll, isOnDemand: true }]);
  return (
    <>
      {rows.length > 0 && (
        <section class="action-bar" aria-label="Selection">
          <b>{count} selected</b>
          <CommandButton of={none} class="is-link" />
          {commands.map((command) => (
            <CommandButton key={command.verb} of={command} class={command.isDanger ? "is-danger" : undefined}>
              {command.verb}…
            </CommandButton>
          ))}
        </section>
      )}
      {asking}
    </>
  );
}
