-- What people changed, and when: before and after are JSON objects of what is different.
CREATE TABLE journal (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  made_at      INTEGER NOT NULL,
  author       TEXT    NOT NULL,
  via          TEXT    NOT NULL,
  action       TEXT    NOT NULL,
  subject_kind TEXT    NOT NULL,
  subject_id   TEXT,
  subject_name TEXT,
  before       TEXT,
  after        TEXT
) STRICT;

CREATE INDEX journal_by_subject ON journal (subject_id);

-- Entries are added, and never changed or removed.
CREATE TRIGGER journal_keeps_entries BEFORE UPDATE ON journal
BEGIN
  SELECT RAISE(ABORT, 'the journal is append-only: entries cannot be changed');
END;

CREATE TRIGGER journal_keeps_all_entries BEFORE DELETE ON journal
BEGIN
  SELECT RAISE(ABORT, 'the journal is append-only: entries cannot be deleted');
END;

-- INSERT OR REPLACE deletes without asking the trigger above.
CREATE TRIGGER journal_replaces_no_entry BEFORE INSERT ON journal
WHEN EXISTS (SELECT 1 FROM journal WHERE id = NEW.id)
BEGIN
  SELECT RAISE(IGNORE);
END;
