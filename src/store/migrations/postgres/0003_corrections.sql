-- Names as they are searched for, ordered by their bytes as in the embedded store. Null in a row that release 1.1.0
-- has added: whoever runs a newer one fills it in.
ALTER TABLE animals ADD COLUMN folded_name text COLLATE "C";

ALTER TABLE orders ADD COLUMN reference text COLLATE "C";

-- Null in a key that may do everything, as all keys could before.
ALTER TABLE keys ADD COLUMN scopes text;
ALTER TABLE keys ADD COLUMN suspended_at bigint;
-- To the minute.
ALTER TABLE keys ADD COLUMN last_used_at bigint;

ALTER TABLE secrets ADD COLUMN created_at bigint;

CREATE TABLE categories (
  id          bigint PRIMARY KEY,
  name        text   NOT NULL,
  folded_name text   COLLATE "C" NOT NULL
);

CREATE UNIQUE INDEX categories_by_name ON categories (folded_name);

-- What commands have to know about the running service, such as where it counts requests.
CREATE TABLE facts (
  name  text PRIMARY KEY,
  value text NOT NULL
);
