-- Responses to writes that had an idempotency key, for retries: JSON of the value that the write returned.
CREATE TABLE saved_responses (
  key_id          TEXT    NOT NULL REFERENCES keys (id),
  idempotency_key TEXT    NOT NULL,
  fingerprint     TEXT    NOT NULL,
  saved_at        INTEGER NOT NULL,
  content         TEXT    NOT NULL,
  PRIMARY KEY (key_id, idempotency_key)
) STRICT, WITHOUT ROWID;

CREATE INDEX saved_responses_by_age ON saved_responses (saved_at);

-- Release 1.0.0 saved the rendered response, which is still replayed as it is.
INSERT INTO saved_responses (key_id, idempotency_key, fingerprint, saved_at, content)
SELECT key_id, token, fingerprint, answered_at,
  json_object('kind', 'rendered', 'status', status, 'body', body, 'location', location)
FROM answers;

DROP TABLE answers;
