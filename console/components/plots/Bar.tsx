import type { WindowView } from "../../../src/console/api/index.ts";
import { shareOf, usedWords } from "../../format/keys.ts";
import { percentage } from "../../format/numbers.ts";

/** How much of a whole, from 0 to 1. The words beside it say the same, so that it is only for the eye. */
export const Bar = ({ share, isHot = false }: { readonly share: number; readonly isHot?: boolean }) => (
  <span class={isHot ? "bar is-hot" : "bar"} aria-hidden="true">
    <i style={{ width: `${Math.round(share * 1000) / 10}%` }} />
  </span>
);

interface QuotaProps {
  /** Null: not known. */
  readonly window: WindowView | null;
  readonly as?: "figures" | "percentage";
}

/** What is used of a quota: 31,044 of 100,000, or 31 %. */
export function Quota({ window, as = "figures" }: QuotaProps) {
  if (!window) return <span class="soft">not known</span>;
  const words = as === "figures" ? usedWords(window) : percentage(window.used, window.quota);
  return (
    <span class="quota" title={as === "figures" ? undefined : usedWords(window)}>
      <Bar {...shareOf(window)} />
      <span class={as === "figures" ? "soft" : undefined}>{words}</span>
    </span>
  );
}
