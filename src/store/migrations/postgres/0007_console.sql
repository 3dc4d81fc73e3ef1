-- Links into the console that nobody has used yet, and those who are signed in: digests alone.
CREATE TABLE console_links (
  digest     text   NOT NULL PRIMARY KEY,
  name       text   NOT NULL,
  expires_at bigint NOT NULL
);

CREATE TABLE console_sessions (
  digest     text   NOT NULL PRIMARY KEY,
  name       text   NOT NULL,
  expires_at bigint NOT NULL
);
