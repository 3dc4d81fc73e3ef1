-- Ids ascend and are never reused, not even after a deletion: hence AUTOINCREMENT.
CREATE TABLE animals (
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  name        TEXT    NOT NULL,
  category_id INTEGER NOT NULL,
  status      TEXT    NOT NULL CHECK (status IN ('available', 'pending', 'sold'))
) STRICT;

-- An index entry ends with the rowid, so this one serves "of a status, after an id, in order".
CREATE INDEX animals_by_status ON animals (status);

CREATE TABLE keys (
  id          TEXT    PRIMARY KEY,
  name        TEXT    NOT NULL,
  plan        TEXT    NOT NULL,
  per_minute  INTEGER NOT NULL CHECK (per_minute > 0),
  per_day     INTEGER NOT NULL CHECK (per_day > 0),
  created_at  INTEGER NOT NULL,
  expires_at  INTEGER,
  revoked_at  INTEGER,
  pardoned_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE secrets (
  digest     TEXT PRIMARY KEY,
  key_id     TEXT NOT NULL REFERENCES keys (id),
  expires_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX secrets_by_key ON secrets (key_id);

-- One row whose number grows with every change to a key: how a running service hears of it.
CREATE TABLE key_revision (
  only     INTEGER PRIMARY KEY CHECK (only = 1),
  revision INTEGER NOT NULL
) STRICT;

INSERT INTO key_revision (only, revision) VALUES (1, 0);

CREATE TABLE tallies (
  key_id           TEXT PRIMARY KEY REFERENCES keys (id),
  minute_opened_at INTEGER NOT NULL,
  minute_used      INTEGER NOT NULL,
  day_opened_at    INTEGER NOT NULL,
  day_used         INTEGER NOT NULL,
  strikes          INTEGER NOT NULL,
  strikes_since    INTEGER NOT NULL,
  banned_at        INTEGER NOT NULL,
  banned_until     INTEGER NOT NULL,
  bans_in_a_row    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
