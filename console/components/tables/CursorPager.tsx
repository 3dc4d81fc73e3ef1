import { address, linkWith } from "../../router.ts";
import { useTurn } from "./turn.ts";

/** From which address each page was reached: the list itself only knows its next one. */
const cameFrom = new Map<string, string>();
const REMEMBERED_MAX = 500;

interface CursorPagerProps {
  /** Of the next page; null: this is the last one. */
  readonly next: string | null;
  /** While the list of another address is still shown: its next page is not ours. */
  readonly isStale: boolean;
}

/** For lists that are read from one place on. Nothing where there is only one page. */
export function CursorPager({ next, isStale }: CursorPagerProps) {
  const here = address.value;
  const cursor = here.params.get("cursor");
  useTurn(cursor, cursor === null ? "The first page." : "Another page.");
  if (cursor === null && next === null) return null;
  const hrefHere = linkWith(here, {});
  const hrefNext = next === null ? undefined : linkWith(here, { cursor: next });
  if (hrefNext !== undefined && !isStale && cameFrom.size < REMEMBERED_MAX) cameFrom.set(hrefNext, hrefHere);
  const first = linkWith(here, { cursor: null });
  const previous = cursor === null ? undefined : cameFrom.get(hrefHere);
  return (
    <nav class="pager" aria-label="Pages">
      <span>{next === null ? "This is the last page." : ""}</span>
      <span class="row">
        {cursor !== null && previous !== first && (
          <a class="button" href={first}>
            First page
          </a>
        )}
        {previous !== undefined && (
          <a class="button" rel="prev" href={previous}>
            Previous
          </a>
        )}
        {hrefNext !== undefined && (
          <a class="button" rel="next" href={hrefNext}>
            Next
          </a>
        )}
      </span>
    </nav>
  );
}
