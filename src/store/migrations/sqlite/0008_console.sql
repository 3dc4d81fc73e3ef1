-- Links into the console that nobody has used yet, and those who are signed in: digests alone.
CREATE TABLE console_links (
  digest     TEXT    NOT NULL PRIMARY KEY,
  name       TEXT    NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE console_sessions (
  digest     TEXT    NOT NULL PRIMARY KEY,
  name       TEXT    NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
