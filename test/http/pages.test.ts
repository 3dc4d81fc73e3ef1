import { describe, expect, test } from "bun:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { DOCUMENT_PATHS, REFERENCE_PATH, SCALAR_PATH } from "../../src/http/pages/paths.ts";
import { RawConnection } from "../harness/requests/raw.ts";
import { openDatabaseFile } from "../harness/rows/sqlite.ts";
import { startService } from "../harness/service/service.ts";
import { FakeClock } from "../harness/time/clock.ts";

const service = await startService();
const page = (path: string, init?: RequestInit) => fetch(service.origin + path, init);

describe("pages for people", () => {
  test("/ says what this is and where to go", async () => {
    const response = await page("/");
    const html = await response.text();
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    for (const said of ['href="/docs"', 'href="/openapi.json"', `${service.publicUrl}/pets`])
      expect(html).toContain(said);
    for (const command of ["keys create", "console"]) expect(html).toContain(`<pre>npx animal-store ${command}`);
    expect(html).not.toMatch(/\{[a-zA-Z]+\}/);
  });

  test("what does not exist is a page with a way back for a browser, and an Error for everyone else", async () => {
    const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
    const get = (accept: string | undefined, init: RequestInit = {}) =>
      page("/no/such/page?<script>", { ...init, headers: accept === undefined ? {} : { Accept: accept } });
    for (const accept of [BROWSER, "TEXT/HTML", "application/json, text/html;q=0.5", "text/html ; level=1"]) {
      const response = await get(accept);
      expect([response.status, response.headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"]);
      expect(response.headers.get("cache-control")).toBe("no-store");
      const html = await response.text();
      for (const said of ['href="/"', 'href="/docs"', "There is nothing here"]) expect(html).toContain(said);
      expect(html).not.toContain("<script");
    }
    const head = await get(BROWSER, { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([404, ""]);
    for (const response of [
      ...(await Promise.all(
        [
          undefined,
          "*/*",
          "application/json",
          "text/html;q=0",
          "text/html; q=0.000, */*",
          "image/png",
          "text/htmlx",
        ].map((accept) => get(accept)),
      )),
      await get(BROWSER, { method: "POST" }),
    ]) {
      expect([response.status, response.headers.get("content-type")]).toEqual([404, "application/json"]);
      expect(await response.json()).toMatchObject({ code: "not_found", status: 404 });
    }
  });

  test("/ says nothing of a console that is off", async () => {
    const { origin } = await startService({ env: { CONSOLE: "off" } });
    expect(await (await fetch(origin)).text()).not.toContain("onsole");
  });

  test("with an address below a path, links lead there", async () => {
    const below = await startService({ env: { PUBLIC_URL: "https://example.com/store/v1" } });
    const landing = await (await fetch(below.origin)).text();
    const missing = await (await fetch(`${below.origin}/x`, { headers: { Accept: "text/html" } })).text();
    for (const html of [landing, missing]) {
      expect(html).toContain('href="/store/docs"');
      expect(html).toContain('href="/store/favicon.ico"');
      expect(html).toContain("https://example.com/store/v1");
    }
  });

  test("/favicon.ico is a small icon that browsers keep", async () => {
    const response = await page("/favicon.ico");
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "image/x-icon"]);
    expect(response.headers.get("cache-control")).toBe("public, max-age=86400");
    const bytes = await response.bytes();
    expect([...bytes.subarray(0, 4)]).toEqual([0, 0, 1, 0]);
    expect(bytes.length).toBeLessThan(5_000);
  });

  test("unknown pages and the icon count as pages do, and a flood of them gets the same 429", async () => {
    const clock = new FakeClock();
    const visited = await startService({ clock });
    const get = (path: string) => fetch(visited.origin + path, { headers: { Accept: "text/html" } });
    const statuses = [];
    for (let i = 0; i < 130; i++) statuses.push((await get(i % 2 === 0 ? "/nowhere" : "/favicon.ico")).status);
    expect(statuses.filter((status) => status === 429)).toHaveLength(10);
    expect(await (await get("/nowhere")).json()).toMatchObject({ code: "rate_limit_exceeded" });
  });

  test("/docs is Scalar, served by us, and may ask nobody else", async () => {
    const response = await page("/docs");
    const html = await response.text();
    const script = /<script src="\.(\/docs\/scalar-[\d.]+\.js)">/.exec(html)?.[1] as string;
    const policy = response.headers.get("content-security-policy") as string;
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain(`connect-src 'self' ${service.origin}`);
    expect(html.match(/https?:\/\/[^"']+/g)).toEqual([service.publicUrl]);
    const bundle = await page(script);
    expect(bundle.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
    expect(bundle.headers.get("cache-control")).toContain("immutable");
    expect((await bundle.text()).length).toBeGreaterThan(1_000_000);
  });

  test("they are compressed as the client likes, and not sent again to who has them", async () => {
    const PATHS = ["/", "/docs", SCALAR_PATH, REFERENCE_PATH, ...DOCUMENT_PATHS, "/favicon.ico"];
    const visited = await startService();
    const get = (path: string, headers: Record<string, string>) =>
      fetch(visited.origin + path, { headers, decompress: false });
    const decoders = {
      br: brotliDecompressSync,
      gzip: gunzipSync,
    };
    for (const path of PATHS) {
      const plain = await get(path, { "Accept-Encoding": "identity" });
      const text = await plain.text();
      for (const [accepted, encoding] of [
        ["gzip, deflate, br, zstd", "br"],
        ["gzip;q=1.0, br;q=0", "gzip"],
        ["deflate, GZIP", "gzip"],
      ] as const) {
        const response = await get(path, { "Accept-Encoding": accepted });
        expect(response.headers.get("content-encoding")).toBe(encoding);
        expect(response.headers.get("vary")).toBe("Accept-Encoding");
        const bytes = await response.bytes();
        expect(decoders[encoding](bytes).toString() === text).toBe(true);
        if (path === SCALAR_PATH) expect(bytes.length).toBeLessThan(text.length * 0.3);
      }
      for (const accepted of ["br;q=0, gzip;q=0.0", "zstd"])
        expect((await get(path, { "Accept-Encoding": accepted })).headers.get("content-encoding")).toBe(null);
      const etag = plain.headers.get("etag") as string;
      for (const known of [etag, etag.replace("W/", ""), `"other", ${etag}`, "*"]) {
        const response = await get(path, { "If-None-Match": known });
        expect([response.status, await response.text(), response.headers.get("etag")]).toEqual([304, "", etag]);
      }
      expect((await get(path, { "If-None-Match": '"other"' })).status).toBe(200);
    }
  });

  test("one address may ask for 120 a minute, whatever it asks of the interface, and the probes as often as it likes", async () => {
    const clock = new FakeClock();
    const proxied = await startService({ clock, env: { TRUSTED_PROXIES: "127.0.0.0/8", ANONYMOUS_PER_MINUTE: "5" } });
    const from = (address: string, path: string) =>
      fetch(proxied.origin + path, { headers: { "X-Forwarded-For": address } });
    const statuses = async (count: number, address: string, path: string) => {
      const answers = Array.from({ length: count }, async () => (await from(address, path)).status);
      return Object.entries(Object.groupBy(await Promise.all(answers), String)).map(([status, all]) => [
        Number(status),
        all?.length,
      ]);
    };
    expect(await statuses(125, "198.51.100.1", "/")).toEqual([
      [200, 120],
      [429, 5],
    ]);
    const refused = await from("198.51.100.1", "/docs");
    const wait = refused.headers.get("retry-after");
    expect(wait).toMatch(/^6[01]$/);
    expect(await refused.json()).toEqual({
      code: "rate_limit_exceeded",
      message: `Your address has used all 120 page requests for this minute. Wait ${wait} seconds, then load the page again.`,
      status: 429,
    });
    expect((await from("198.51.100.2", "/docs")).status).toBe(200);
    expect(await statuses(6, "198.51.100.1", "/v1/pets")).toEqual([
      [401, 5],
      [429, 1],
    ]);
    expect(await statuses(150, "198.51.100.1", "/healthz")).toEqual([[200, 150]]);
    expect(await statuses(150, "198.51.100.1", "/readyz")).toEqual([[200, 150]]);
    clock.advance(60_000);
    expect((await from("198.51.100.1", "/docs")).status).toBe(200);
  });

  test.each([
    ["/openapi.json", "3.1.0"],
    ["/openapi-3.0.json", "3.0.4"],
  ])("%s is the document, with the public address as its server", async (path, openapi) => {
    const response = await page(path);
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(await response.json()).toMatchObject({ openapi, servers: [{ url: service.publicUrl }] });
  });
});

describe("of the two environments", () => {
  const htmlOf = async (env: Record<string, string>, path: string) =>
    (await fetch((await startService({ env })).origin + path)).text();

  test.each(["/", "/docs"])("%s of staging cannot be taken for production's, and leads there", async (path) => {
    const html = await htmlOf({ ENVIRONMENT: "staging", PRODUCTION_URL: "https://api.example.com/shop/v1" }, path);
    expect(html).toMatch(/<title>[^<]*\(staging\)<\/title>/);
    expect(html).toContain('<p class="staging" role="note"><strong>STAGING</strong>');
    expect(html).toContain('<a href="https://api.example.com/shop/">Go to production</a>');
    expect(html).toMatch(/\.staging \{[^}]*background: #b3261e/);
    expect(html).not.toMatch(/\{\w+\}/);
  });

  test("those of production name staging if it is known, and have no band", async () => {
    const html = await htmlOf({ STAGING_URL: "https://staging.example.com/v1" }, "/");
    expect(html).toContain('This is production. <a href="https://staging.example.com/">Go to staging</a>');
    for (const known of [html, await (await page("/")).text(), await (await page("/docs")).text()]) {
      expect(known).not.toContain("STAGING");
      expect(known).not.toMatch(/\{\w+\}|<title>[^<]*staging/);
    }
  });

  test("the reference offers both, its own first", async () => {
    const html = await htmlOf({ STAGING_URL: "https://staging.example.com/v1" }, "/docs");
    expect(html).toContain(
      'data-description="Production: this service" data-other-url="https://staging.example.com/v1"',
    );
  });
});

describe("probes", () => {
  test("/healthz and /readyz answer without a key", async () => {
    for (const [path, status] of [
      ["/healthz", "ok"],
      ["/readyz", "ready"],
    ] as const) {
      const response = await page(path);
      expect([response.status, await response.json()]).toEqual([200, { status }]);
    }
  });

  test("/readyz says no when the store cannot answer, and /healthz still says yes", async () => {
    const broken = await startService();
    const other = openDatabaseFile(broken.path);
    other.run("DROP TABLE animals");
    other.close();
    expect((await fetch(`${broken.origin}/readyz`)).status).toBe(503);
    expect((await fetch(`${broken.origin}/healthz`)).status).toBe(200);
  });
});

test("no page may be framed or run anything inline, and no browser may guess its type", async () => {
  for (const path of [
    "/",
    "/docs",
    SCALAR_PATH,
    REFERENCE_PATH,
    ...DOCUMENT_PATHS,
    "/healthz",
    "/readyz",
    "/nowhere",
  ]) {
    const { headers } = await page(path);
    const policy = headers.get("content-security-policy") as string;
    expect(policy).toStartWith("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(/script-src[^;]*/.exec(policy)?.[0] ?? "script-src 'self'").toBe("script-src 'self'");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("x-frame-options")).toBe("DENY");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
  }
  for (const path of ["/", "/docs"])
    expect(await (await page(path)).text()).not.toMatch(/<script(?! src="[^"]+"><\/script>)| on\w+=|javascript:/);
});

test("pages answer GET and HEAD, and anything else with 405 and Allow", async () => {
  for (const path of ["/", "/docs", ...DOCUMENT_PATHS, "/healthz", "/readyz"]) {
    const head = await page(path, { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
    const post = await page(path, { method: "POST" });
    expect([post.status, post.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
    expect(await post.json()).toMatchObject({ code: "method_not_allowed", status: 405 });
  }
});

describe("odd requests", () => {
  const raw = async (text: string): Promise<string> => {
    const connection = await RawConnection.open(service.origin);
    connection.send(text);
    const answer = await connection.answer();
    connection.destroy();
    return answer;
  };
  const authorization = `Authorization: Bearer ${service.boundless}\r\n`;

  test("a Host that is none answers 400, and HTTP/1.0 may do without", async () => {
    expect(await raw(`GET /v1/pets HTTP/1.1\r\nHost: a b/c\r\n${authorization}\r\n`)).toStartWith("HTTP/1.1 400");
    expect(await raw(`GET /v1/pets?limit=1 HTTP/1.0\r\n${authorization}\r\n`)).toStartWith("HTTP/1.1 200");
  });

  test("a header over 16 KiB is refused by the parser, and the service goes on", async () => {
    expect(await raw(`GET /v1/pets HTTP/1.1\r\nHost: x\r\nX-Big: ${"x".repeat(20_000)}\r\n\r\n`)).toStartWith(
      "HTTP/1.1 431",
    );
    expect((await service.call("GET /pets")).status).toBe(200);
  });

  test("a forwarded address is believed only from a trusted proxy", async () => {
    const remaining = async (from: { call: typeof service.call }, address: string) => {
      const { headers } = await from.call("GET /pets", { secret: null, headers: { "X-Forwarded-For": address } });
      return headers.get("x-ratelimit-remaining");
    };
    const direct = await startService();
    expect([await remaining(direct, "198.51.100.1"), await remaining(direct, "198.51.100.2")]).toEqual(["299", "298"]);
    const proxied = await startService({ env: { TRUSTED_PROXIES: "127.0.0.0/8" } });
    expect([await remaining(proxied, "198.51.100.1"), await remaining(proxied, "198.51.100.2")]).toEqual([
      "299",
      "299",
    ]);
    expect(await remaining(proxied, "203.0.113.1, 198.51.100.1")).toBe("298");
    expect([await remaining(proxied, "2001:db8::1"), await remaining(proxied, "2001:db8::2")]).toEqual(["299", "298"]);
  });
});
