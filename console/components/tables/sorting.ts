import { address, linkWith } from "../../router.ts";

/** An order that a list can be in. */
export interface SortChoice {
  /** In the address: "name", or "-name" if it descends. */
  readonly sort: string;
  /** "Name, Z to A" */
  readonly label: string;
}

export interface Sorting {
  /** The order that the list is in. */
  readonly current: string;
  /** The order of a list whose address names none. */
  readonly usual: string;
  /** The orders that it can be in. Those of one column are in the order in which its head goes through them. */
  readonly choices: readonly SortChoice[];
}

/** Reads the order from the address. An empty one is the usual one. */
export const sortingOf = (inAddress: string, usual: string, choices: readonly SortChoice[]): Sorting => ({
  current: inAddress || usual,
  usual,
  choices,
});

const columnOf = (sort: string): string => sort.replace(/^-/, "");

/** The order that the head of a column leads to; undefined if the list cannot be sorted by it. */
export function nextSort(column: string, { current, usual, choices }: Sorting): string | undefined {
  const own = choices.filter(({ sort }) => columnOf(sort) === column).map(({ sort }) => sort);
  return own.length === 0 ? undefined : (own[own.indexOf(current) + 1] ?? usual);
}

/** For aria-sort. */
export function directionOf(column: string, { current }: Sorting): "ascending" | "descending" | "none" {
  if (columnOf(current) !== column) return "none";
  return current === column ? "ascending" : "descending";
}

/** The address of the first page of the list in another order. */
export const linkToSort = (sort: string, { usual }: Sorting): string =>
  linkWith(address.value, { sort: sort === usual ? null : sort, page: null, cursor: null });
