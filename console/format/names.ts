// User-supplied names within our sentences.

const SHOWN = 60;
/** Right-to-left scripts, which would reorder the text after them. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
const [ISOLATED, ISOLATED_END] = ["\u2068", "\u2069"];

/** Quotes a name: “Rex”. A long one is cut short, and right-to-left text is isolated. */
export function quoted(name: string): string {
  const letters = [...name];
  const shown = letters.length > SHOWN ? `${letters.slice(0, SHOWN).join("").trimEnd()}…` : name;
  return RIGHT_TO_LEFT.test(shown) ? `“${ISOLATED}${shown}${ISOLATED_END}”` : `“${shown}”`;
}
