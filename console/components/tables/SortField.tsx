import { useEffect, useRef } from "preact/hooks";
import { navigate } from "../../router.ts";
import { Filter } from "../forms/Form.tsx";
import { announce } from "../Toasts.tsx";
import { linkToSort, type Sorting } from "./sorting.ts";

/** Sorts a list in the palette and on a phone, which has no room for the heads of all columns. */
export function SortField({ sorting }: { readonly sorting: Sorting }) {
  const { current, usual, choices } = sorting;
  const labelOf = (wanted: string): string => choices.find(({ sort }) => sort === wanted)?.label ?? "";
  const last = useRef(current);
  useEffect(() => {
    if (last.current !== current) announce(`Sorted by: ${labelOf(current)}.`);
    last.current = current;
  }, [current]);
  return (
    <Filter
      label="Sort by"
      class="only-narrow"
      all={labelOf(usual)}
      value={current === usual ? "" : current}
      options={choices.filter(({ sort }) => sort !== usual).map(({ sort, label }) => ({ value: sort, label }))}
      onChange={(sort) => navigate(linkToSort(sort || usual, sorting))}
    />
  );
}
