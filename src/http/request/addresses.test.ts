import { describe, expect, test } from "bun:test";
import type { Server } from "bun";
import fc from "fast-check";
import { parseTrustedProxies, type TrustedNetworks, trustedProxies } from "../../access/address.ts";
import { type Addresses, createAddresses } from "./addresses.ts";

const SETTINGS = { publicUrl: undefined, environment: "production", otherUrl: undefined } as const;
const PROXIES = trustedProxies(parseTrustedProxies("127.0.0.1, fd00::/8") as TrustedNetworks);

const serverFor = (peer: string): Server<undefined> =>
  ({ requestIP: () => ({ address: peer }) }) as unknown as Server<undefined>;

/** A request as Bun makes it: its URL begins with the host, or with the path if the Host header has none. */
const requestTo = (url: string, headers: Record<string, string> = {}): Request =>
  ({ url, headers: new Headers(headers) }) as Request;

const publicUrlOf = (addresses: Addresses, request: Request, peer = "127.0.0.1"): string =>
  addresses.urlsFor(request, serverFor(peer)).publicUrl;

describe("without a public address", () => {
  const addresses = createAddresses(SETTINGS, undefined);

  test("links lead to the host that was asked", () => {
    for (const [origin, publicUrl = `${origin}/v1`] of [
      ["http://localhost:9000"],
      ["http://store_1:8080"],
      ["http://api.example.com"],
      ["http://192.0.2.7:8080"],
      ["http://[2001:db8::1]:8080"],
      ["http://127.0.0.1"],
      [`http://${"a".repeat(63)}.example:65535`],
    ])
      expect(publicUrlOf(addresses, requestTo(`${origin}/v1/pets?x=/y`))).toBe(publicUrl as string);
  });

  test("what is no host is never repeated: links are paths, which lead to the same place", () => {
    for (const host of [
      "a'b",
      "a;b",
      "(x)",
      "x$y",
      "x&y",
      "..",
      "-a",
      "[::1",
      "::1",
      "a:99999",
      "a:b",
      "a".repeat(260),
    ])
      expect(publicUrlOf(addresses, requestTo(`http://${host}/v1/pets`))).toBe("/v1");
    expect(publicUrlOf(addresses, requestTo("/v1/pets"))).toBe("/v1");
    expect(addresses.urlsFor(requestTo("/v1/pets"), serverFor("")).docsUrl).toBe("/docs");
  });

  test("nobody is believed who forwards, unless a proxy is trusted", () => {
    const request = requestTo("http://here:1/v1/pets", { "X-Forwarded-Host": "evil", "X-Forwarded-Proto": "https" });
    expect(publicUrlOf(addresses, request)).toBe("http://here:1/v1");
    expect(publicUrlOf(createAddresses(SETTINGS, PROXIES), request, "192.0.2.1")).toBe("http://here:1/v1");
  });

  test("the same addresses are the same object, and not more than a few are kept", () => {
    const at = (name: string) => addresses.urlsFor(requestTo(`http://${name}/v1`), serverFor(""));
    expect(at("one")).toBe(at("one"));
    const first = at("one");
    for (let i = 0; i < 100; i++) at(`host-${i}`);
    expect(at("one")).not.toBe(first);
    expect(at("one")).toEqual(first);
  });
});

describe("behind a trusted proxy", () => {
  const addresses = createAddresses(SETTINGS, PROXIES);
  const asked = (headers: Record<string, string>, peer?: string) =>
    publicUrlOf(addresses, requestTo("http://inner:8080/v1/pets", headers), peer);

  test("links lead to the host that its client asked, by the scheme that it used", () => {
    expect(asked({ "X-Forwarded-Host": "api.example.com", "X-Forwarded-Proto": "https" })).toBe(
      "https://api.example.com/v1",
    );
    expect(asked({ "X-Forwarded-Host": "API.example.com:8443", "X-Forwarded-Proto": "HTTPS" })).toBe(
      "https://api.example.com:8443/v1",
    );
    expect(asked({ "X-Forwarded-Host": "api.example.com:443", "X-Forwarded-Proto": "https" })).toBe(
      "https://api.example.com/v1",
    );
    expect(asked({ "X-Forwarded-Host": "[2001:DB8::1]:8443", "X-Forwarded-Proto": "https" }, "fd00::7")).toBe(
      "https://[2001:db8::1]:8443/v1",
    );
    expect(asked({ "X-Forwarded-Proto": "https" }, "::ffff:127.0.0.1")).toBe("https://inner:8080/v1");
    expect(asked({ "X-Forwarded-Host": "api.example.com" })).toBe("http://api.example.com/v1");
  });

  test("of several values the last one counts: those before it may be the client's", () => {
    expect(asked({ "X-Forwarded-Host": "evil.example, api.example.com", "X-Forwarded-Proto": "http,https" })).toBe(
      "https://api.example.com/v1",
    );
    expect(asked({ "X-Forwarded-Host": "api.example.com," })).toBe("http://inner:8080/v1");
  });

  test("what makes no sense is left out", () => {
    for (const host of ["a b", "a/b", "evil@a", '"', "<script>", "a\\b", "a".repeat(300), ""])
      expect(asked({ "X-Forwarded-Host": host })).toBe("http://inner:8080/v1");
    for (const proto of ["ftp", "javascript", "https:", "https://x", ""])
      expect(asked({ "X-Forwarded-Proto": proto })).toBe("http://inner:8080/v1");
  });
});

test("with a public address, nothing that a request says makes a difference", () => {
  const fixed = createAddresses({ ...SETTINGS, publicUrl: "https://a.example/shop/v1" }, PROXIES);
  fc.assert(
    fc.property(fc.webUrl(), fc.string(), (url, host) => {
      const headers = /^[!-~]*$/.test(host) ? { "X-Forwarded-Host": host } : {};
      expect(fixed.urlsFor(requestTo(url, headers), serverFor("127.0.0.1"))).toEqual({
        publicUrl: "https://a.example/shop/v1",
        docsUrl: "https://a.example/shop/docs",
        environment: "production",
        otherUrl: undefined,
      });
    }),
  );
});

test("two requests with one cache key have the same addresses, whatever they say", () => {
  const addresses = createAddresses(SETTINGS, PROXIES);
  const anyHost = fc.constantFrom("a", "b", "a:80", "A", "b.example:8080", "[::1]", "x y", "");
  const anyHeader = fc.option(
    fc.oneof(
      anyHost,
      fc.tuple(anyHost, anyHost).map((both) => both.join(", ")),
    ),
  );
  const anyRequest = fc
    .record({
      host: fc.constantFrom("http://a", "http://b", "http://a:8080", "http://x'y", ""),
      forwardedHost: anyHeader,
      forwardedProto: fc.option(fc.constantFrom("http", "https", "ftp", "http, https")),
      isFromProxy: fc.boolean(),
    })
    .map(({ host, forwardedHost, forwardedProto, isFromProxy }) => {
      const headers = {
        ...(forwardedHost === null ? {} : { "X-Forwarded-Host": forwardedHost }),
        ...(forwardedProto === null ? {} : { "X-Forwarded-Proto": forwardedProto }),
      };
      return [requestTo(`${host}/v1/pets`, headers), serverFor(isFromProxy ? "127.0.0.1" : "192.0.2.1")] as const;
    });
  fc.assert(
    fc.property(anyRequest, anyRequest, (one, other) => {
      const isSameKey = addresses.cacheKeyFor(...one) === addresses.cacheKeyFor(...other);
      if (isSameKey) expect(addresses.urlsFor(...one)).toEqual(addresses.urlsFor(...other));
    }),
    { numRuns: 3000 },
  );
});
