/** Replaces a value; a number comes with its literal, as far as the runtime knows it. */
export type Revive = (name: string, value: unknown, context?: { readonly source: string }) => unknown;

/** JSON.parse with the literals of numbers, which may have more digits than a number. */
export const parseWithLiterals = (json: string, revive: Revive): unknown => JSON.parse(json, revive);

/** Returns a value that JSON.stringify writes as this very text. */
export const rawJson = (text: string): unknown => JSON.rawJSON(text);
