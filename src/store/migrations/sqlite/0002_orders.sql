CREATE TABLE orders (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  animal_id  INTEGER NOT NULL REFERENCES animals (id),
  status     TEXT    NOT NULL CHECK (status IN ('placed', 'approved', 'delivered', 'cancelled')),
  placed_at  INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

CREATE INDEX orders_by_status ON orders (status);
CREATE INDEX orders_by_animal ON orders (animal_id, status);

-- One animal, one sale: the rule is kept by transactions, and this makes breaking it impossible.
CREATE UNIQUE INDEX one_open_order_per_animal ON orders (animal_id) WHERE status IN ('placed', 'approved');

-- Serves a category with a status, and without one as three searches whose results are merged.
CREATE INDEX animals_by_category ON animals (category_id, status);

-- Answers to writes that named themselves by a token, to be given again.
CREATE TABLE answers (
  key_id      TEXT    NOT NULL REFERENCES keys (id),
  token       TEXT    NOT NULL,
  fingerprint TEXT    NOT NULL,
  answered_at INTEGER NOT NULL,
  status      INTEGER NOT NULL,
  body        TEXT    NOT NULL,
  location    TEXT    NOT NULL,
  PRIMARY KEY (key_id, token)
) STRICT, WITHOUT ROWID;

CREATE INDEX answers_by_age ON answers (answered_at);
