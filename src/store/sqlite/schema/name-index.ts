/** The table in which the parts of names are indexed. */
export const NAME_INDEX = "animal_name_index";

/** FTS5 keeps one row for each indexed name in it. */
export const INDEXED_NAMES = `${NAME_INDEX}_docsize`;

const IS_INDEXED = `EXISTS (SELECT 1 FROM ${INDEXED_NAMES} WHERE id = OLD.id)`;

/**
 * The statements that make the index of names, by the names of what they make. No migration runs them: with the
 * index, a file is two fifths larger, so it has one only if it is used. Its triggers keep it right, whoever changes or
 * removes an animal. Never edit them: a file that was made with another text would be refused.
 */
export const NAME_INDEX_SCHEMA: Readonly<Record<string, string>> = {
  [NAME_INDEX]: `CREATE VIRTUAL TABLE ${NAME_INDEX} USING fts5(folded_name, content='', contentless_delete=1, tokenize='trigram case_sensitive 1')`,
  [`${NAME_INDEX}_follow`]: `CREATE TRIGGER ${NAME_INDEX}_follow AFTER UPDATE OF folded_name ON animals
WHEN NEW.folded_name IS NOT OLD.folded_name AND ${IS_INDEXED}
BEGIN
  DELETE FROM ${NAME_INDEX} WHERE rowid = OLD.id;
  INSERT INTO ${NAME_INDEX} (rowid, folded_name) VALUES (OLD.id, NEW.folded_name);
END`,
  [`${NAME_INDEX}_forget`]: `CREATE TRIGGER ${NAME_INDEX}_forget AFTER DELETE ON animals
WHEN ${IS_INDEXED}
BEGIN
  DELETE FROM ${NAME_INDEX} WHERE rowid = OLD.id;
END`,
};

/** The tables that FTS5 makes for it. */
const TABLES_OF_FTS5: Readonly<Record<string, string>> = {
  [`${NAME_INDEX}_data`]: `CREATE TABLE '${NAME_INDEX}_data'(id INTEGER PRIMARY KEY, block BLOB)`,
  [`${NAME_INDEX}_idx`]: `CREATE TABLE '${NAME_INDEX}_idx'(segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID`,
  [INDEXED_NAMES]: `CREATE TABLE '${INDEXED_NAMES}'(id INTEGER PRIMARY KEY, sz BLOB, origin INTEGER)`,
  [`${NAME_INDEX}_config`]: `CREATE TABLE '${NAME_INDEX}_config'(k PRIMARY KEY, v) WITHOUT ROWID`,
};

interface Part {
  readonly name: string;
  readonly sql: string;
}

/**
 * Returns a schema without the index of names, if it has the whole of it. Some of its parts alone stay, because they are
 * not as we make them: triggers without their table, for one, would keep animals from being removed.
 */
export function withoutNameIndex<Of extends Part>(schema: readonly Of[]): readonly Of[] {
  const parts = { ...NAME_INDEX_SCHEMA, ...TABLES_OF_FTS5 };
  const rest = schema.filter(({ name, sql }) => parts[name] !== sql);
  return schema.length - rest.length === Object.keys(parts).length ? rest : schema;
}
