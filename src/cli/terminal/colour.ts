/** The meanings of colours. The text always says the same. */
export type Tone = "good" | "warning" | "problem" | "quiet" | "strong";

const CODES: Readonly<Record<Tone, number>> = { strong: 1, quiet: 2, problem: 31, good: 32, warning: 33 };

/** True if standard output shows colours: on a terminal that has them, unless NO_COLOR asks for none. */
export const hasColours = (
  isTerminal = process.stdout.isTTY === true,
  { NO_COLOR, TERM }: Readonly<Record<string, string | undefined>> = process.env,
): boolean => isTerminal && !NO_COLOR && TERM !== undefined && TERM !== "" && TERM !== "dumb";

/** The text in a colour, if there are colours. */
export const painted = (text: string, tone: Tone | undefined): string =>
  tone === undefined || text === "" || !hasColours() ? text : `\x1b[${CODES[tone]}m${text}\x1b[0m`;
