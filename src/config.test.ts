import { expect, test } from "bun:test";
import { consolePath, readConfig, SETTINGS } from "./config.ts";

const configOf = (env: Record<string, string>) => {
  const result = readConfig(env);
  if ("mistakes" in result) throw new Error(result.mistakes.join("; "));
  return result.config;
};

const mistakesIn = (env: Record<string, string>): readonly string[] => {
  const result = readConfig(env);
  return "mistakes" in result ? result.mistakes : [];
};

test("without any setting the service is on localhost, port 8080, in data/animal-store.db", () => {
  const config = configOf({});
  expect(config).toMatchObject({
    HOST: "127.0.0.1",
    PORT: 8080,
    DATABASE_URL: { kind: "sqlite", path: "data/animal-store.db" },
    PUBLIC_URL: undefined,
    METRICS_PORT: undefined,
    METRICS_HOST: "127.0.0.1",
    LOG_LEVEL: "info",
    LOG_REQUESTS: false,
    ANONYMOUS_PER_MINUTE: 300,
  });
});

test("an empty value counts as not set, and space around a value is nothing", () => {
  expect(configOf({ PORT: "", HOST: " 0.0.0.0 " })).toMatchObject({ PORT: 8080, HOST: "0.0.0.0" });
});

test("every mistake is reported at once, with the setting, the remedy and what was found", () => {
  const mistakes = mistakesIn({
    ENVIRONMENT: "test",
    HOST: "my host",
    PORT: "70000",
    THREADS: "65",
    DATABASE_URL: "mysql://x",
    DATABASE_CONNECTIONS: "0",
    MIGRATE: "yes",
    REDIS_URL: "x",
    PUBLIC_URL: "https://example.com",
    STAGING_URL: "staging",
    PRODUCTION_URL: "https://example.com/v2",
    TRUSTED_PROXIES: "10.0.0.0/99",
    TRUSTED_HOSTS: "store.internal:8080",
    CORS_ORIGINS: "null",
    DRAIN_SECONDS: "301",
    CONSOLE: "yes",
    CONSOLE_PORT: "65536",
    CONSOLE_HOST: "all of them",
    METRICS_PORT: "x",
    METRICS_HOST: "all of them",
    METRICS_BY_KEY: "1",
    ACCOUNT: "maybe",
    LOG_LEVEL: "loud",
    LOG_REQUESTS: "yes",
    REQUEST_LOG_DAYS: "32",
    ANONYMOUS_PER_MINUTE: "0",
    NAME_INDEX: "yes",
    OPERATOR: "An\nna",
  });
  expect(mistakes).toHaveLength(Object.keys(SETTINGS).length);
  for (const [i, name] of Object.keys(SETTINGS).entries()) expect(mistakes[i]).toStartWith(`${name} must `);
  expect(mistakes[2]).toBe('PORT must be a port from 0 to 65535, but is "70000"');
});

test("host names are those that browsers send, without ports", () => {
  expect(configOf({}).TRUSTED_HOSTS).toEqual([]);
  expect(configOf({ TRUSTED_HOSTS: " Store.Internal,, büro.example, " }).TRUSTED_HOSTS).toEqual([
    "store.internal",
    "xn--bro-hoa.example",
  ]);
  for (const hosts of ["a:80", "a/b", "a/", "http://a", "u@a", "a b", "*.a", "a?b", "a#b", "[::1"])
    expect([hosts, mistakesIn({ TRUSTED_HOSTS: hosts }).length]).toEqual([hosts, 1]);
});

test("a database is a file behind sqlite:", () => {
  expect(configOf({ DATABASE_URL: "sqlite:/var/a b.db" }).DATABASE_URL).toEqual({
    kind: "sqlite",
    path: "/var/a b.db",
  });
  expect(configOf({ DATABASE_URL: "sqlite:///var/a.db" }).DATABASE_URL).toEqual({ kind: "sqlite", path: "/var/a.db" });
  for (const url of [
    "sqlite:",
    "sqlite::memory:",
    "data/a.db",
    "postgres:",
    "postgres://localhost",
    "mysql://localhost/a",
  ])
    expect(mistakesIn({ DATABASE_URL: url })).toHaveLength(1);
});

test("a database may be a PostgreSQL server, and counters a Redis or the nodes of a cluster", () => {
  for (const url of ["postgres://u:p@localhost:5432/a", "postgresql://localhost/a?sslmode=require"])
    expect(configOf({ DATABASE_URL: url }).DATABASE_URL).toEqual({ kind: "postgres", url });
  expect(configOf({ REDIS_URL: "redis://u:p@a:1, redis://u:p@b" }).REDIS_URL).toMatchObject({
    kind: "cluster",
    credentials: { username: "u", password: "p" },
  });
  for (const url of ["localhost:6379", "redis://", "redis://a,", "http://a"])
    expect(mistakesIn({ REDIS_URL: url })).toHaveLength(1);
});

test("a mistake in an address does not show the password in it", () => {
  const mistakes = [
    ...mistakesIn({ DATABASE_URL: "postgres://u:hidden@localhost", REDIS_URL: "reddis://u:hidden@a" }),
    ...mistakesIn({ DATABASE_URL: "postgres://u:12/hidden@localhost/a", REDIS_URL: "redis://u:100%hidden@a" }),
    ...mistakesIn({ DATABASE_URL: "postgres://u:100%hidden@localhost/a" }),
  ];
  for (const name of ["PUBLIC_URL", "STAGING_URL", "PRODUCTION_URL"])
    for (const url of [
      "https://u:hidden@a/v1",
      "https://hidden@a/v1",
      "ftp:u:hidden@a",
      "https://a/v1?password=hidden",
    ]) {
      expect(mistakesIn({ [name]: url })).toHaveLength(1);
      mistakes.push(...mistakesIn({ [name]: url }));
    }
  expect(mistakes).toHaveLength(17);
  expect(mistakes.join()).not.toContain("hidden");
});

test("a public address ends in /v1", () => {
  expect(configOf({ PUBLIC_URL: "https://a.example/x/v1/" }).PUBLIC_URL).toBe("https://a.example/x/v1");
  for (const url of ["https://a.example/v1?", "https://a.example/v1#"])
    expect(configOf({ PUBLIC_URL: url }).PUBLIC_URL).toBe("https://a.example/v1");
  for (const url of [
    "a.example/v1",
    "ftp://a/v1",
    "https://a/v1?x",
    "https://a/v1#x",
    "https://u:p@a/v1",
    "https://:p@a/v1",
    "https://a/v2",
    "https://a/xv1",
  ])
    expect(mistakesIn({ PUBLIC_URL: url })).toHaveLength(1);
});

test("each environment names the other one, and not itself", () => {
  const own = "https://api.example.com/v1";
  const other = "https://staging.example.com/v1";
  expect(configOf({ PUBLIC_URL: own, STAGING_URL: other })).toMatchObject({ PUBLIC_URL: own, STAGING_URL: other });
  configOf({ ENVIRONMENT: "staging", PUBLIC_URL: other, PRODUCTION_URL: own });
  configOf({ STAGING_URL: other });
  expect(mistakesIn({ ENVIRONMENT: "staging", PUBLIC_URL: own, STAGING_URL: other })).toEqual([
    "STAGING_URL must not be set in staging: its own address is PUBLIC_URL, and PRODUCTION_URL that of the other",
  ]);
  expect(mistakesIn({ PRODUCTION_URL: own })).toEqual([
    "PRODUCTION_URL must not be set in production: its own address is PUBLIC_URL, and STAGING_URL that of the other",
  ]);
  expect(mistakesIn({ ENVIRONMENT: "staging", PUBLIC_URL: own, PRODUCTION_URL: `${own}/` })).toEqual([
    `PRODUCTION_URL must differ from PUBLIC_URL, which is the address of staging itself, but both are ${own}`,
  ]);
  expect(mistakesIn({ PUBLIC_URL: own, STAGING_URL: "HTTPS://api.example.com:443/v1" })).toHaveLength(1);
});

test("metrics have a port of their own", () => {
  expect(mistakesIn({ METRICS_PORT: "8080" })).toEqual(["METRICS_PORT must differ from PORT, but both are 8080"]);
  expect(mistakesIn({ CONSOLE_PORT: "8080" })).toEqual(["CONSOLE_PORT must differ from PORT, but both are 8080"]);
  expect(mistakesIn({ CONSOLE_PORT: "9", METRICS_PORT: "9" })).toEqual([
    "CONSOLE_PORT must differ from METRICS_PORT, but both are 9",
  ]);
  expect(configOf({ METRICS_PORT: "0", PORT: "0", CONSOLE_PORT: "0" })).toMatchObject({
    METRICS_PORT: 0,
    CONSOLE_PORT: 0,
  });
});

test("the console is where the public address is, unless it has a port of its own", () => {
  const pathOf = (env: Record<string, string>) => consolePath(configOf(env));
  expect(pathOf({})).toBe("/console");
  expect(pathOf({ PUBLIC_URL: "https://a.example.com/v1" })).toBe("/console");
  expect(pathOf({ PUBLIC_URL: "https://a.example.com/my/v1/shop/v1" })).toBe("/my/v1/shop/console");
  expect(pathOf({ PUBLIC_URL: "https://a.example.com/shop/v1", CONSOLE_PORT: "0" })).toBe("/console");
});
