import { keyOf } from "../../commands/shortcuts.ts";
import type { Selection } from "./selection.ts";

interface TickProps<T> {
  readonly selection: Selection<T>;
  readonly row: T;
}

/** The cell in which a row is ticked. Its label fills it, so that a click beside the box does not open the row. */
export const Tick = <T,>({ selection, row }: TickProps<T>) => (
  <td class="tick">
    <label>
      <input
        type="checkbox"
        aria-label={`Select ${selection.nameOf(row)}`}
        aria-keyshortcuts={keyOf("x")}
        checked={selection.isTicked(row)}
        // Otherwise Shift would select the text between the rows.
        onMouseDown={(event) => event.shiftKey && event.preventDefault()}
        onClick={(event) => selection.turnOver(row, event.shiftKey)}
      />
    </label>
  </td>
);

/** The head of these cells, which ticks all rows of the page. */
export const TickAll = <T,>({
  selection: { rows, areAllTicked, tickAll, tickNone },
}: Pick<TickProps<T>, "selection">) => (
  <th scope="col" class="tick">
    <label>
      <span class="unseen">Select all on this page</span>
      <input
        type="checkbox"
        checked={areAllTicked}
        indeterminate={rows.length > 0 && !areAllTicked}
        onClick={areAllTicked ? tickNone : tickAll}
      />
    </label>
  </th>
);
