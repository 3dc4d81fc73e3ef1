/** Part of the runtime, and not yet of TypeScript's libraries. */
interface JSON {
  /** A value that JSON.stringify writes as this text. */
  rawJSON(text: string): unknown;
  isRawJSON(value: unknown): boolean;
}
