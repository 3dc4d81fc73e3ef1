import { address, linkWith } from "../../router.ts";
import { useTurn } from "./turn.ts";

/** The address from which each page was reached, because a list only knows its next page. */
const cameFrom = new Map<string, string>();
const REMEMBERED_MAX = 500;

interface CursorPagerProps {
  /** The cursor of the next page; null on the last page. */
  readonly next: string | null;
  /** True while the list of another address is still shown, whose next page is not ours. */
  readonly isStale: boolean;
}

/** Pages of a list with cursors. Renders nothing if there is only one. */
export function CursorPager({ next, isStale }: CursorPagerProps) {
  const here = address.value;
  const cursor = here.params.get("cursor");
  useTurn(cursor, cursor === null ? "First page." : "Another page.");
  if (cursor === null && next === null) return null;
  const hrefHere = linkWith(here, {});
  const hrefNext = next === null ? undefined : linkWith(here, { cursor: next });
  if (hrefNext !== undefined && !isStale && cameFrom.size < REMEMBERED_MAX) cameFrom.set(hrefNext, hrefHere);
  const first = linkWith(here, { cursor: null });
  const previous = cursor === null ? undefined : cameFrom.get(hrefHere);
  return (
    <nav class="pager" aria-label="Pages">
      <span>{next === null ? "Last page." : ""}</span>
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
