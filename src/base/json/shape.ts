/**
 * How a record looks as JSON. Whoever has the record makes the text by `jsonOf`; a database that makes JSON itself goes by
 * the fields, which have the same names there, and must come to the same text.
 */
export interface JsonShape<Shown> {
  readonly jsonOf: (record: Shown) => string;
  /** In their order. */
  readonly fields: readonly (keyof Shown & string)[];
}

/** The fields are those in the text of a sample. */
export const jsonShape = <Shown>(jsonOf: (record: Shown) => string, sample: Shown): JsonShape<Shown> => ({
  jsonOf,
  fields: Object.keys(JSON.parse(jsonOf(sample))) as (keyof Shown & string)[],
});
