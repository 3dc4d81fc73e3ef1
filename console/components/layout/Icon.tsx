/** Lines on a grid of 16 by 16, as wide as the strokes of the text beside them. */
const PATHS = {
  overview: "M2.5 13.5h11M4 11V7.5M8 11V3M12 11V5.5",
  key: "M10.2 9.3a3.7 3.7 0 1 0-3.5-3.5L2.5 10v3.5H6V12h1.5v-1.5H9zM11 5h.01",
  animal:
    "M4 8.2a1 1 0 1 0-.01 0M6.5 4.9a1 1 0 1 0-.01 0M9.5 4.9a1 1 0 1 0-.01 0M12 8.2a1 1 0 1 0-.01 0M8 8c1.9 0 3.3 1.9 3.3 3.4 0 2-1.8 1.9-3.3 1.5-1.5.4-3.3.5-3.3-1.5C4.7 9.9 6.1 8 8 8z",
  order: "M5 3H3.5v10.5h9V3H11M5.5 2h5v2.5h-5zM5.5 7.5h5M5.5 10.5h3",
  journal: "M3.5 2.5h9v11h-9zM6 2.5v11M8.5 5.5h2",
} as const;

export type IconName = keyof typeof PATHS;

/** A picture beside words that say the same. */
export const Icon = ({ name }: { readonly name: IconName }) => (
  <svg class="icon" width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
    <path d={PATHS[name]} />
  </svg>
);
