import { describe, expect, test } from "bun:test";
import { Mistake } from "../base/mistake.ts";
import { displayRedisUrl, parseRedisUrl, type RedisUrl } from "./redis-url.ts";

const parsed = (text: string) => parseRedisUrl(text) as RedisUrl;
const NOBODY = { credentials: {}, sentinelCredentials: {}, database: 0 };

describe("parseRedisUrl", () => {
  test("one server, with its usual port unless there is another", () => {
    expect(parsed("redis://a")).toEqual({ ...NOBODY, kind: "single", addresses: [{ host: "a", port: 6379 }] });
    expect(parsed("redis://[::1]:7/3")).toEqual({
      ...NOBODY,
      kind: "single",
      addresses: [{ host: "::1", port: 7 }],
      database: 3,
    });
    expect(parsed("redis://u:p%25%2C@a").credentials).toEqual({ username: "u", password: "p%," });
    expect(parsed("redis://:p@a").credentials).toEqual({ password: "p" });
  });

  test("several addresses are nodes of a cluster, all with the same credentials", () => {
    expect(parsed("redis://:p@a:1, redis://:p@b:2")).toEqual({
      ...NOBODY,
      kind: "cluster",
      addresses: [
        { host: "a", port: 1 },
        { host: "b", port: 2 },
      ],
      credentials: { password: "p" },
    });
  });

  test("sentinels, and the name of what they watch", () => {
    expect(parsed("redis+sentinel://u:p@a,b:2,[::1]:3/my%20master/4?sentinel_user=x&sentinel_password=y")).toEqual({
      kind: "sentinel",
      addresses: [
        { host: "a", port: 26379 },
        { host: "b", port: 2 },
        { host: "::1", port: 3 },
      ],
      masterName: "my master",
      database: 4,
      credentials: { username: "u", password: "p" },
      sentinelCredentials: { username: "x", password: "y" },
    });
    expect(parsed("rediss+sentinel://a/m?tls_ca=/ca.pem").tls).toEqual({ ca: "/ca.pem" });
  });

  test("TLS, with files for whoever needs them", () => {
    expect(parsed("redis://a").tls).toBeUndefined();
    expect(parsed("rediss://a").tls).toEqual({});
    expect(parsed("rediss://a?tls_ca=/ca.pem&tls_cert=/c.pem&tls_key=/k.pem").tls).toEqual({
      ca: "/ca.pem",
      cert: "/c.pem",
      key: "/k.pem",
    });
  });

  test("what is no such address is a mistake, which never shows a password", () => {
    for (const [text, hint] of [
      ["", "redis://host"],
      ["a:6379", "redis://host"],
      ["redis://", "redis://host"],
      ["redis://a,", "redis://host"],
      ["redis://a/x", "redis://host"],
      ["redis://:100%hidden@a", "redis://host"],
      ["redis://a,rediss://b", "all with rediss://"],
      ["redis://a/1,redis://b", "no database"],
      ["redis://:hidden@a,redis://b", "same user, password and parameters"],
      ["redis://u:hidden@a,redis://v:hidden@b", "same user, password and parameters"],
      ["rediss://a?tls_ca=hidden,rediss://b", "same user, password and parameters"],
      ["redis://:hidden@a?password=hidden", "other than tls_ca"],
      ["redis://a?sentinel_password=hidden", "other than tls_ca"],
      ["redis://a?tls_ca=x", "rediss"],
      ["rediss://a?tls_cert=x", "both tls_cert and tls_key"],
      ["redis+sentinel://a:1", "redis+sentinel://host"],
      ["redis+sentinel:///m", "redis+sentinel://host"],
      ["redis+sentinel://a,,b/m", "redis+sentinel://host"],
      ["redis+sentinel://a/m/x", "redis+sentinel://host"],
      ["redis+sentinel://a/100%hidden", "redis+sentinel://host"],
      ["redis+sentinel://a/m?x=hidden", "other than tls_ca"],
    ] as const) {
      const mistake = parseRedisUrl(text);
      expect([text, mistake]).toEqual([text, expect.any(Mistake)]);
      expect((mistake as Mistake).text).toStartWith("must ");
      expect((mistake as Mistake).text).toContain(hint);
      expect((mistake as Mistake).text).not.toContain("hidden");
    }
  });

  test("for people to read there is no password", () => {
    for (const [text, shown] of [
      ["redis://u:hidden@a", "redis://a:6379"],
      ["rediss://u:hidden@[::1]:2?tls_ca=x", "rediss://[::1]:2"],
      ["redis://:hidden@a:1,redis://:hidden@b:2", "redis://a:1,redis://b:2"],
      ["redis+sentinel://:hidden@a,b/m?sentinel_password=hidden", "redis+sentinel://a:26379,b:26379/m"],
    ] as const)
      expect(displayRedisUrl(parsed(text))).toBe(shown);
  });
});
