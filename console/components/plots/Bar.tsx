import type { WindowView } from "../../../src/console/api/index.ts";
import { shareOf, usedText } from "../../format/keys.ts";
import { percentage } from "../../format/numbers.ts";

/** A bar for a share from 0 to 1. Hidden from screen readers, because the text beside it says the same. */
export const Bar = ({ share, isHot = false }: { readonly share: number; readonly isHot?: boolean }) => (
  <span class={isHot ? "bar is-hot" : "bar"} aria-hidden="true">
    <i style={{ width: `${Math.round(share * 1000) / 10}%` }} />
  </span>
);

interface QuotaProps {
  /** Null if unknown. */
  readonly window: WindowView | null;
  readonly as?: "figures" | "percentage";
}

/** The usage of a quota: 31,044 of 100,000, or 31 %. */
export function Quota({ window, as = "figures" }: QuotaProps) {
  if (!window) return <span class="soft">unknown</span>;
  const words = as === "figures" ? usedText(window) : percentage(window.used, window.quota);
  return (
    <span class="quota" title={as === "figures" ? undefined : usedText(window)}>
      <Bar {...shareOf(window)} />
      <span class={as === "figures" ? "soft" : undefined}>{words}</span>
    </span>
  );
}
