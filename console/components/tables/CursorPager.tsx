import { CommandButton } from "../../commands/CommandButton.tsx";
import { goingTo, useCommands } from "../../commands/registry.ts";
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
  const hrefHere = linkWith(here, {});
  const hrefNext = next === null ? undefined : linkWith(here, { cursor: next });
  if (hrefNext !== undefined && !isStale && cameFrom.size < REMEMBERED_MAX) cameFrom.set(hrefNext, hrefHere);
  const first = linkWith(here, { cursor: null });
  const previous = cursor === null ? undefined : cameFrom.get(hrefHere);
  const [toFirst, toPrevious, toNext] = [
    cursor !== null && previous !== first && goingTo("First page", first),
    previous !== undefined && goingTo("Previous page", previous),
    hrefNext !== undefined && goingTo("Next page", hrefNext),
  ];
  useCommands([toNext, toPrevious, toFirst]);
  if (cursor === null && next === null) return null;
  return (
    <nav class="pager" aria-label="Pages">
      <span>{next === null ? "Last page." : ""}</span>
      <span class="row">
        <CommandButton of={toFirst} />
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
