/** The table that the parts of names are indexed in. */
export const NAME_INDEX = "animal_names";

/** SQLite's own table beside it, with one row for each indexed name. */
export const INDEXED_NAMES = `${NAME_INDEX}_docsize`;

const IS_INDEXED = `EXISTS (SELECT 1 FROM ${INDEXED_NAMES} WHERE id = OLD.id)`;

/**
 * The parts of the index of names by what they create. No migration makes them: an index takes a third of the space of
 * its animals, so a store has it only if it is used. Its triggers keep it right, whoever changes or removes an animal.
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
