-- Names as they are searched for. Null in a row that release 1.1.0 has added: whoever runs a newer one fills it in.
ALTER TABLE animals ADD COLUMN folded_name TEXT;

ALTER TABLE orders ADD COLUMN reference TEXT;

-- Null in a key that may do everything, as all keys could before.
ALTER TABLE keys ADD COLUMN scopes TEXT;
ALTER TABLE keys ADD COLUMN suspended_at INTEGER;
-- To the minute.
ALTER TABLE keys ADD COLUMN last_used_at INTEGER;

ALTER TABLE secrets ADD COLUMN created_at INTEGER;

CREATE TABLE categories (
  id          INTEGER PRIMARY KEY,
  name        TEXT    NOT NULL,
  folded_name TEXT    NOT NULL
) STRICT;

CREATE UNIQUE INDEX categories_by_name ON categories (folded_name);

-- What commands have to know about the running service, such as where it counts requests.
CREATE TABLE facts (
  name  TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
