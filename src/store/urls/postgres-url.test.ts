import { expect, test } from "bun:test";
import { Mistake } from "../../base/mistake.ts";
import { parsePostgresUrl } from "./postgres-url.ts";

const parse = (rest: string) => parsePostgresUrl(new URL(`postgres://u:p%40ss@host${rest}`));

test("a URL says where the server is, and nothing else has a say", () => {
  expect(parse("/a%20b")).toMatchObject({
    hostname: "host",
    port: 5432,
    username: "u",
    password: "p@ss",
    database: "a b",
    sslMode: "prefer",
    prepares: true,
    isPooled: false,
  });
  expect(parse(":6432/a?pgbouncer=true")).toMatchObject({ port: 6432, isPooled: true, prepares: false });
  expect(parse("/a?pgbouncer=true&prepare=true")).toMatchObject({ isPooled: true, prepares: true });
  expect(parse("/a?prepare=false")).toMatchObject({ isPooled: false, prepares: false });
  expect(parse("/a?connect_timeout=10")).toMatchObject({ connectTimeoutSeconds: 10 });
  expect(parsePostgresUrl(new URL("postgres://[::1]/a"))).toMatchObject({ hostname: "::1" });
});

test("sslmode and sslrootcert mean what they mean to libpq", () => {
  for (const mode of ["disable", "prefer", "require", "verify-ca", "verify-full"])
    expect(parse(`/a?sslmode=${mode}`)).toMatchObject({ sslMode: mode, rootCertificate: undefined });
  expect(parse("/a?sslmode=require&sslrootcert=ca.pem")).toMatchObject({
    sslMode: "verify-ca",
    rootCertificate: "ca.pem",
  });
  expect(parse("/a?sslmode=verify-full&sslrootcert=ca.pem")).toMatchObject({ sslMode: "verify-full" });
  expect(parse("/a?sslrootcert=system")).toMatchObject({ sslMode: "verify-full" });
});

test("a parameter that would have no effect is refused by its name, and a password is never quoted", () => {
  for (const [query, text] of [
    ["search_path=x", "the parameter search_path, which is not supported"],
    ["sslmode=allow", "has the parameter sslmode, which must be one of disable, prefer, require"],
    ["sslmode=", "sslmode, which must be one of"],
    ["pgbouncer=yes", "pgbouncer, which must be one of true, false"],
    ["connect_timeout=0", "connect_timeout, which must be a number of seconds"],
    ["sslcert=a", "sslcert and sslkey together"],
    ["%40p%40ss", "a parameter, which is not supported"],
  ] as const) {
    const mistake = parse(`/a?${query}`);
    expect(mistake).toBeInstanceOf(Mistake);
    expect((mistake as Mistake).text).toContain(text);
    expect((mistake as Mistake).text).not.toContain("p@ss");
  }
});
