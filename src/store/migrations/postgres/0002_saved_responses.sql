-- Responses to writes that had an idempotency key, for retries: JSON of the value that the write returned.
CREATE TABLE saved_responses (
  key_id          text   NOT NULL REFERENCES keys (id),
  idempotency_key text   NOT NULL,
  fingerprint     text   NOT NULL,
  saved_at        bigint NOT NULL,
  content         text   NOT NULL,
  PRIMARY KEY (key_id, idempotency_key)
);

CREATE INDEX saved_responses_by_age ON saved_responses (saved_at);

-- Release 1.0.0 saved the rendered response, which is still replayed as it is.
INSERT INTO saved_responses (key_id, idempotency_key, fingerprint, saved_at, content)
SELECT key_id, token, fingerprint, answered_at,
  json_build_object('kind', 'rendered', 'status', status, 'body', body, 'location', location)::text
FROM answers;

DROP TABLE answers;
