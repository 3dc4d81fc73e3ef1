-- The latest requests of each key, without query, body and address. The id is the time in microseconds.
CREATE TABLE kept_requests (
  id              INTEGER PRIMARY KEY,
  key_id          TEXT    NOT NULL,
  method          TEXT    NOT NULL,
  path            TEXT    NOT NULL,
  status          INTEGER NOT NULL,
  code            TEXT,
  message         TEXT,
  request_id      TEXT    NOT NULL,
  idempotency_key TEXT,
  latency_us      INTEGER NOT NULL
) STRICT;

CREATE INDEX kept_requests_by_key ON kept_requests (key_id);
