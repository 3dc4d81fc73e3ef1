-- Files that were imported, and how far: each batch of animals notes it in its own transaction.
CREATE TABLE imports (
  id            INTEGER PRIMARY KEY AUTOINCREMENT,
  identity      TEXT    NOT NULL,
  source        TEXT    NOT NULL,
  records       INTEGER NOT NULL,
  animals       INTEGER NOT NULL,
  records_done  INTEGER NOT NULL,
  added         INTEGER NOT NULL,
  begun_at      INTEGER NOT NULL,
  finished_at   INTEGER,
  undo_begun_at INTEGER,
  undone_at     INTEGER,
  removed       INTEGER NOT NULL,
  kept          INTEGER NOT NULL
) STRICT;

CREATE INDEX imports_by_identity ON imports (identity);

-- Whoever imports a file again continues the import that is not finished, and two at once cannot begin two.
CREATE UNIQUE INDEX one_unfinished_import ON imports (identity) WHERE finished_at IS NULL AND undo_begun_at IS NULL;

-- The ids of the animals that an import has added, and that undoing it has not looked at yet.
CREATE TABLE import_ranges (
  import_id INTEGER NOT NULL,
  first_id  INTEGER NOT NULL,
  last_id   INTEGER NOT NULL,
  PRIMARY KEY (import_id, first_id)
) STRICT, WITHOUT ROWID;
