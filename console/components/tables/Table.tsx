import { CommandButton } from "../../commands/CommandButton.tsx";
import { goingTo, useCommands } from "../../commands/registry.ts";
import type { Selection } from "../selection/selection.ts";
import { Tick, TickAll } from "../selection/Tick.tsx";
import { Num } from "../text.tsx";
import { type Column, classOf } from "./column.ts";
import { Head } from "./Head.tsx";
import type { Sorting } from "./sorting.ts";
import { useTurn } from "./turn.ts";

interface TableProps<T> {
  /** The name of the list, for screen readers. */
  readonly caption: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string;
  /** The link of a row, if any. */
  readonly hrefOf?: (row: T) => string | undefined;
  /** True while other rows are being loaded. */
  readonly isStale?: boolean;
  readonly sorting?: Sorting;
  /** Lets rows be ticked. */
  readonly selection?: Selection<T> | undefined;
}

/** A native table. The whole row is a link if it has an address. */
export const Table = <T,>({
  caption,
  columns,
  rows,
  keyOf,
  hrefOf,
  isStale = false,
  sorting,
  selection,
}: TableProps<T>) => (
  <table class={isStale ? "is-stale" : undefined} aria-busy={isStale}>
    <caption class="unseen">{caption}</caption>
    <thead>
      <tr>
        {selection && <TickAll selection={selection} />}
        {columns.map((column) => (
          <Head key={column.title} column={column} sorting={sorting} />
        ))}
      </tr>
    </thead>
    <tbody>
      {rows.map((row) => (
        <Row key={keyOf(row)} row={row} columns={columns} href={hrefOf?.(row)} selection={selection} />
      ))}
    </tbody>
  </table>
);

interface RowProps<T> {
  readonly row: T;
  readonly columns: readonly Column<T>[];
  readonly href: string | undefined;
  readonly selection: Selection<T> | undefined;
}

const Row = <T,>({ row, columns, href, selection }: RowProps<T>) => (
  <tr class={[href !== undefined && "is-link", selection?.isTicked(row) && "is-ticked"].filter(Boolean).join(" ")}>
    {selection && <Tick selection={selection} row={row} />}
    {columns.map((column, i) => (
      <td key={column.title} class={classOf(column)}>
        {i === 0 && href !== undefined ? (
          <a class="row-link" href={href}>
            {column.cell(row)}
          </a>
        ) : (
          column.cell(row)
        )}
      </td>
    ))}
  </tr>
);

interface PagerProps {
  readonly page: number;
  readonly pages: number;
  readonly hrefOf: (page: number) => string;
}

/** Numbered pages. Renders nothing if there is only one. */
export function Pager({ page, pages, hrefOf }: PagerProps) {
  useTurn(page, `Page ${page} of ${pages}.`);
  const toPrevious = page > 1 && goingTo("Previous page", hrefOf(page - 1));
  const toNext = page < pages && goingTo("Next page", hrefOf(page + 1));
  useCommands([toNext, toPrevious]);
  if (pages <= 1) return null;
  return (
    <nav class="pager" aria-label="Pages">
      <span>
        Page <Num value={page} /> of <Num value={pages} />
      </span>
      <span class="row">
        <CommandButton of={toPrevious} rel="prev">
          Previous
        </CommandButton>
        <CommandButton of={toNext} rel="next">
          Next
        </CommandButton>
      </span>
    </nav>
  );
}
