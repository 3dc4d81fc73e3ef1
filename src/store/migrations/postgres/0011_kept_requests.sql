-- The latest requests of each key, without query, body and address. The id is the time in microseconds.
CREATE TABLE kept_requests (
  id              bigint PRIMARY KEY,
  key_id          text   COLLATE "C" NOT NULL,
  method          text   NOT NULL,
  path            text   NOT NULL,
  status          bigint NOT NULL,
  code            text,
  message         text,
  request_id      text   NOT NULL,
  idempotency_key text,
  latency_us      bigint NOT NULL
);

CREATE INDEX kept_requests_by_key ON kept_requests (key_id, id);
