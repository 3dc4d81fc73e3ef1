import { describe, expect, test } from "bun:test";
import { setUp } from "../harness/cleanup.ts";
import { ConsoleBrowser, newLink, signedIn } from "../harness/service/console.ts";
import { startService, type TestService } from "../harness/service/service.ts";

type Sent = Readonly<Record<string, string | undefined>>;

/** Headers that browsers send with requests from pages of other origins. */
const FOREIGN: Readonly<Record<string, Sent>> = {
  "another site": { Origin: "https://evil.example.com", "Sec-Fetch-Site": "cross-site" },
  "another site, of an old browser": { Origin: "https://evil.example.com" },
  "another site that names ours": { Origin: "http://127.0.0.1.evil.example.com" },
  "another port of this host": { Origin: "http://127.0.0.1:1", "Sec-Fetch-Site": "same-site" },
  "another host of this site": { Origin: "http://localhost", "Sec-Fetch-Site": "same-site" },
  "a frame in a sandbox": { Origin: "null", "Sec-Fetch-Site": "cross-site" },
  "a file": { Origin: "null" },
  "an empty origin": { Origin: "" },
  "an address that was typed": { Origin: undefined, "Sec-Fetch-Site": "none" },
  "a link of another site": { Origin: undefined, "Sec-Fetch-Site": "cross-site" },
  "another site that claims to be ours": { Origin: "https://evil.example.com", "Sec-Fetch-Site": "same-origin" },
};

/** Only requests that may change something must have an Origin. */
const UNKNOWN: Sent = { Origin: undefined };

describe("requests of the console's API from elsewhere", () => {
  let service: TestService;
  let browser: ConsoleBrowser;
  setUp(async () => {
    service = await startService();
    browser = await signedIn(service);
  });

  const refused = async (line: string, headers: Sent, from: string, body?: unknown) => {
    const response = await browser.call(line, { headers, body });
    const { code } = (await response.json()) as { code: string };
    expect([from, line, response.status, code]).toEqual([from, line, 403, "foreign_origin"]);
    for (const name of ["access-control-allow-origin", "set-cookie"]) expect(response.headers.get(name)).toBeNull();
  };

  test("are refused, with a session and without a change, whatever they ask for", async () => {
    const lines = [
      "GET /session",
      "DELETE /session",
      "DELETE /sessions",
      "POST /session",
      "PATCH /x",
      "OPTIONS /session",
    ];
    for (const [from, headers] of Object.entries(FOREIGN)) for (const line of lines) await refused(line, headers, from);
    for (const line of lines.slice(1)) await refused(line, UNKNOWN, "nobody says where");
    expect((await browser.call("GET /session")).status).toBe(200);
  });

  test("use up no token", async () => {
    const token = await newLink(service);
    for (const [from, headers] of Object.entries(FOREIGN)) await refused("POST /session", headers, from, { token });
    expect((await new ConsoleBrowser(service).signIn(token)).status).toBe(204);
  });

  test("a preflight gets nothing that would allow a request to follow", async () => {
    const headers = { Origin: "https://evil.example.com", "Access-Control-Request-Method": "DELETE" };
    const response = await browser.call("OPTIONS /session", { headers });
    expect([...response.headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
  });

  test("a page of ours is let in, by either header", async () => {
    const own: readonly Sent[] = [
      {},
      { "Sec-Fetch-Site": "same-origin" },
      { Origin: undefined, "Sec-Fetch-Site": "same-origin" },
    ];
    for (const headers of own) {
      const status = (await browser.call("DELETE /nothing", { headers })).status;
      expect([headers, status]).toEqual([headers, 404]);
      expect((await browser.call("GET /session", { headers })).status).toBe(200);
    }
    expect((await browser.call("GET /session", { headers: { Origin: undefined } })).status).toBe(200);
  });

  test("the page itself may be navigated to from anywhere, but by GET alone", async () => {
    for (const headers of [{ "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate" }, { Origin: "null" }]) {
      const response = await fetch(`${service.consoleUrl}keys`, { headers });
      expect(response.status).toBe(200);
      expect(response.headers.get("content-type")).toContain("text/html");
    }
    for (const method of ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"]) {
      const response = await fetch(`${service.consoleUrl}keys`, { method });
      expect([method, response.status, response.headers.get("allow")]).toEqual([method, 405, "GET, HEAD"]);
    }
  });
});

describe("the console's own origin", () => {
  const statusFor = async (service: TestService, headers: Sent): Promise<number> => {
    const browser = new ConsoleBrowser(service);
    return (await browser.signIn(await newLink(service), { headers })).status;
  };

  test("is the public address too, also where a proxy changes the host", async () => {
    const service = await startService({ env: { PUBLIC_URL: "https://store.example.com/v1" } });
    expect(await statusFor(service, { Origin: "https://store.example.com" })).toBe(204);
    expect(await statusFor(service, {})).toBe(204);
    expect(await statusFor(service, { Origin: "http://store.example.com" })).toBe(403);
    expect(await statusFor(service, { Origin: "https://store.example.com:8443" })).toBe(403);
  });

  test("is what a trusted proxy says that was asked, and what nobody else says", async () => {
    const forwarded = { "X-Forwarded-Host": "store.example.com", "X-Forwarded-Proto": "https" };
    const env = { TRUSTED_PROXIES: "127.0.0.1", TRUSTED_HOSTS: "store.example.com" };
    const trusting = await startService({ env });
    expect(await statusFor(trusting, { ...forwarded, Origin: "https://store.example.com" })).toBe(204);
    expect(await statusFor(trusting, { ...forwarded, Origin: "http://store.example.com" })).toBe(403);
    expect(await statusFor(trusting, { ...forwarded })).toBe(403);
    const other = await startService();
    expect(await statusFor(other, { ...forwarded, Origin: "https://store.example.com" })).toBe(403);
    expect(await statusFor(other, { ...forwarded })).toBe(204);
  });

  test("nobody can say who they are in the header by which threads do", async () => {
    const service = await startService();
    const origin = "https://evil.example.com";
    for (const relayed of [
      JSON.stringify({ origin }),
      ` ${JSON.stringify({ address: "x", origin, requestId: "r" })}`,
    ]) {
      const headers = { "X-Animal-Store-Relayed": relayed, Origin: origin };
      expect(await statusFor(service, headers)).toBe(403);
    }
  });
});

describe("the host that is asked for, against names of strangers that lead here (DNS rebinding)", () => {
  const env = {
    PUBLIC_URL: "https://store.example.com/v1",
    TRUSTED_HOSTS: "desk.internal, Büro.example, rooted.internal.",
    TRUSTED_PROXIES: "127.0.0.1",
    METRICS_PORT: "0",
  };
  const KNOWN = ["127.0.0.1:8080", "[::1]:8080", "LocalHost", "store-1:9464", "store.example.com", "Desk.Internal:1"];
  const UNKNOWN_HOSTS = ["evil.example.com", "evil.example.com:8080", "a.store.example.com", "127.0.0.1.evil.example"];
  /** A dot at the end makes no other name. Prometheus in Kubernetes is told such ones, to try no search domain. */
  const ROOTED = ["localhost.:8080", "store-1.", "store.example.com.", "desk.internal.:9464", "rooted.internal"];
  const MALFORMED = [".", "store.example.com..", "evil.example.com.", "a b", "store.example.com@evil.example.com"];

  test.each([
    ["on the port of the API", {}],
    ["on a port of its own", { CONSOLE_PORT: "0" }],
  ] as const)("%s, the console and metrics answer only for hosts that they know", async (_, more) => {
    const service = await startService({ env: { ...env, ...more } });
    const statusAt = async (url: string, headers: Record<string, string>): Promise<number> => {
      const response = await fetch(url, { headers });
      await response.body?.cancel();
      return response.status;
    };
    const consoleUrl = service.consoleUrl as string;
    const urls = [consoleUrl, `${consoleUrl}api/session`, service.metricsUrl as string];
    for (const Host of [...KNOWN, ...ROOTED, "xn--bro-hoa.example"])
      expect([Host, await Promise.all(urls.map((url) => statusAt(url, { Host })))]).toEqual([Host, [200, 401, 200]]);
    for (const Host of [...UNKNOWN_HOSTS, ...MALFORMED])
      expect([Host, await Promise.all(urls.map((url) => statusAt(url, { Host })))]).toEqual([Host, [421, 421, 421]]);
    // The host that a proxy says was asked for counts as much.
    const forwarded = { "X-Forwarded-Host": "evil.example.com" };
    expect(await statusAt(consoleUrl, forwarded)).toBe(421);
    const refused = await fetch(`${consoleUrl}keys`, { headers: { Host: "evil.example.com" } });
    expect(await refused.json()).toMatchObject({
      code: "unknown_host",
      message: expect.stringContaining("TRUSTED_HOSTS"),
    });
    // The API has keys, and answers under any name.
    expect(await statusAt(`${service.origin}/healthz`, { Host: "evil.example.com" })).toBe(200);
  });
});
