// Names that somebody else has chosen, within a sentence of ours.

const SHOWN = 60;
/** Hebrew, Arabic and the like, which would draw what follows them to their side. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
const [ISOLATED, ISOLATED_END] = ["\u2068", "\u2069"];

/** “Rex”: a long one is cut, and none moves the words around it. */
export function quoted(name: string): string {
  const letters = [...name];
  const shown = letters.length > SHOWN ? `${letters.slice(0, SHOWN).join("").trimEnd()}…` : name;
  return RIGHT_TO_LEFT.test(shown) ? `“${ISOLATED}${shown}${ISOLATED_END}”` : `“${shown}”`;
}
