import { type Column, classOf } from "./column.ts";
import { directionOf, linkToSort, nextSort, type Sorting } from "./sorting.ts";

interface HeadProps<T> {
  readonly column: Column<T>;
  readonly sorting: Sorting | undefined;
}

/** The head of a column. If the list can be sorted by it, it is a link to the list in that order. */
export function Head<T>({ column, sorting }: HeadProps<T>) {
  const { title, sortBy } = column;
  const next = sorting && sortBy !== undefined ? nextSort(sortBy, sorting) : undefined;
  if (!sorting || sortBy === undefined || next === undefined)
    return (
      <th scope="col" class={classOf(column)}>
        {title}
      </th>
    );
  const label = sorting.choices.find(({ sort }) => sort === next)?.label;
  return (
    <th scope="col" class={classOf(column)} aria-sort={directionOf(sortBy, sorting)}>
      <a class="sort" href={linkToSort(next, sorting)} title={`Sort by: ${label}`}>
        {title}
      </a>
    </th>
  );
}
