/**
 * The JSON form of a record. `jsonOf` renders one in memory; a database that renders JSON itself uses the fields, which
 * have the same names there, and must produce the same text.
 */
export interface JsonShape<Shown> {
  readonly jsonOf: (record: Shown) => string;
  /** The fields, in the order of the text. */
  readonly fields: readonly (keyof Shown & string)[];
}

/** Takes the fields from the text of a sample. */
export const jsonShape = <Shown>(jsonOf: (record: Shown) => string, sample: Shown): JsonShape<Shown> => ({
  jsonOf,
  fields: Object.keys(JSON.parse(jsonOf(sample))) as (keyof Shown & string)[],
});
