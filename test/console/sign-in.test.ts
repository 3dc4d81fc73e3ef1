import { describe, expect, test } from "bun:test";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../src/base/time/clock.ts";
import { ATTEMPTS_PER_MINUTE } from "../../src/console/auth/attempts.ts";
import { LINK_LASTS_MS, newConsoleSecret, SESSION_LASTS_MS } from "../../src/domain/console-session.ts";
import { ConsoleBrowser, newLink, signedIn } from "../harness/service/console.ts";
import { startService, type TestService } from "../harness/service/service.ts";
import { onEveryStore } from "../harness/service/stores.ts";
import { FakeClock } from "../harness/time/clock.ts";

const codeOf = async (response: Response): Promise<string> => ((await response.json()) as { code: string }).code;

onEveryStore(({ backend, startService, setUp }) => {
  describe("signing in to the console", () => {
    const clock = new FakeClock();
    const logged: string[] = [];
    let service: TestService;
    setUp(async () => {
      service = await startService({ clock, logged, env: { LOG_REQUESTS: "on" } });
    });
    const link = (name?: string) => newLink(service, { nowMs: clock.nowMs(), ...(name ? { name } : {}) });
    const enter = (name?: string) => signedIn(service, { nowMs: clock.nowMs(), ...(name ? { name } : {}) });

    test("a link signs in one browser, whose session says who and where it is", async () => {
      const browser = await enter("Anna <b>'\"🐾 ‏עברית");
      const response = await browser.call("GET /session");
      expect(response.status).toBe(200);
      expect(await response.json()).toEqual({
        name: "Anna <b>'\"🐾 ‏עברית",
        role: "operator",
        expiresAtMs: clock.nowMs() + SESSION_LASTS_MS,
        environment: "production",
        version: expect.any(String),
        publicUrl: `${service.origin}/v1`,
        nowMs: clock.nowMs(),
        uploadMaxBytes: 32 * 1024 * 1024,
      });
    });

    test("a token works once, however many browsers use it at once, and never again", async () => {
      const token = await link();
      const browsers = Array.from({ length: 50 }, () => new ConsoleBrowser(service));
      const responses = await Promise.all(browsers.map((browser) => browser.signIn(token)));
      expect(responses.map(({ status }) => status).sort()).toEqual([204, ...Array(49).fill(401)]);
      expect(responses.filter(({ headers }) => headers.has("set-cookie"))).toHaveLength(1);
      const replayed = await new ConsoleBrowser(service).signIn(token);
      expect([replayed.status, await codeOf(replayed)]).toEqual([401, "invalid_token"]);
      expect(replayed.headers.getSetCookie()).toEqual([]);
      clock.advance(MINUTE_MS);
    });

    test("a token works for ten minutes", async () => {
      const [late, inTime] = [await link(), await link()];
      clock.advance(LINK_LASTS_MS - 1);
      expect((await new ConsoleBrowser(service).signIn(inTime)).status).toBe(204);
      clock.advance(1);
      expect((await new ConsoleBrowser(service).signIn(late)).status).toBe(401);
    });

    test("a session ends 12 hours after its last use, and the cookie is prolonged with it", async () => {
      const browser = await enter();
      expect((await browser.call("GET /session")).headers.getSetCookie()).toEqual([]);
      for (let i = 0; i < 3; i++) {
        clock.advance(11 * HOUR_MS);
        const response = await browser.call("GET /session");
        expect(response.status).toBe(200);
        expect(await response.json()).toMatchObject({ expiresAtMs: clock.nowMs() + SESSION_LASTS_MS });
        const [cookie = ""] = response.headers.getSetCookie();
        expect(cookie).toStartWith(`${browser.cookie};`);
        expect(cookie).toContain("Max-Age=43200");
      }
      clock.advance(SESSION_LASTS_MS);
      const response = await browser.call("GET /session");
      expect([response.status, await codeOf(response)]).toEqual([401, "signed_out"]);
    });

    test("a session ends 30 days after it began, however much it is used", async () => {
      const browser = await enter();
      const endsAtMs = clock.nowMs() + 30 * DAY_MS;
      let status = 200;
      while (status === 200 && clock.nowMs() < endsAtMs + DAY_MS) {
        clock.advance(11 * HOUR_MS);
        status = (await browser.call("GET /session")).status;
      }
      expect([status, Math.floor((clock.nowMs() - endsAtMs) / (11 * HOUR_MS))]).toEqual([401, 0]);
      await enter();
    });

    test("a sign-in is in the journal, and with its address in the log", async () => {
      await enter("Zoë");
      const { rows } = await service.withStore(async ({ journal }) => journal.list({ size: 1_000 }));
      const at = { atMs: clock.nowMs(), action: "console sign-in", subject: { kind: "store" } };
      expect(rows.at(-1)).toMatchObject({ by: "Zoë", via: "console", ...at });
      expect(JSON.stringify([rows.at(-1)?.before, rows.at(-1)?.after])).not.toContain("127.0.0.1");
      while (!logged.some((line) => line.includes("Zoë"))) await Bun.sleep(1);
      const lines = logged.filter((line) => line.includes("Zoë")).map((line) => JSON.parse(line));
      expect(lines).toMatchObject([{ name: "Zoë", address: "127.0.0.1", requestId: expect.any(String) }]);
    });

    test("signing out here ends this session, and signing out everywhere ends all and is in the journal", async () => {
      const [one, other, third] = [await enter(), await enter("Bert"), await enter()];
      const response = await one.call("DELETE /session");
      expect(response.status).toBe(204);
      expect(response.headers.getSetCookie().join()).toMatch(/^animal_store_console_\d+=; .*Max-Age=0/);
      expect((await one.call("GET /session")).status).toBe(401);
      expect((await other.call("GET /session")).status).toBe(200);
      const unused = await link();
      expect((await other.call("DELETE /sessions")).status).toBe(204);
      for (const browser of [other, third]) expect((await browser.call("GET /session")).status).toBe(401);
      expect((await new ConsoleBrowser(service).signIn(unused)).status).toBe(401);
      const { rows } = await service.withStore(async ({ journal }) => journal.list({ size: 1_000 }));
      expect(rows.at(-1)).toMatchObject({ by: "Bert", via: "console", action: "console sign-out" });
    });

    test("neither the token nor the session is in the log or in the database", async () => {
      const token = await link();
      const browser = new ConsoleBrowser(service);
      await browser.signIn(token);
      await browser.call("GET /session");
      await browser.call(`GET /${token}`);
      await new ConsoleBrowser(service).signIn(token);
      const secret = browser.cookie?.split("=")[1] as string;
      const everything = `${logged.join("")}${await backend.contents(service.storage)}`;
      expect(logged.join("")).toContain("/console/api/session");
      expect(everything).toContain("console sign-out");
      for (const text of [token, secret]) expect(everything.includes(text)).toBe(false);
    });

    test("an API key never opens the console, and a session never opens the API", async () => {
      const browser = await enter();
      const strangers = new ConsoleBrowser(service);
      const bearer = { Authorization: `Bearer ${service.boundless}` };
      expect((await strangers.call("GET /session", { headers: bearer })).status).toBe(401);
      expect((await strangers.signIn(service.boundless)).status).toBe(401);
      strangers.cookie = `animal_store_console=${service.boundless}`;
      expect((await strangers.call("GET /session")).status).toBe(401);
      const secret = browser.cookie?.split("=")[1] as string;
      for (const headers of [{ Cookie: browser.cookie as string }, { Authorization: `Bearer ${secret}` }])
        expect((await fetch(`${service.origin}/v1/pets`, { headers })).status).toBe(401);
    });

    test("sessions that are malformed, made up, or sent twice beside a valid one are judged one by one", async () => {
      const browser = await enter();
      const { cookie = "" } = browser;
      const [own = "", secret = ""] = cookie.split("=");
      const made = `animal_store_console=${newConsoleSecret()}`;
      for (const [sent, status] of [
        [`other=1; ${cookie}`, 200],
        [`${cookie}; other=${secret}`, 200],
        [`animal_store_console=; ${cookie}`, 200],
        [`animal_store_console=nonsense%00; ${cookie}`, 200],
        // A server on another port of this host can add cookies.
        [`${made}; ${made}; ${made}; ${cookie}`, 200],
        [`${`${made}; `.repeat(40)}${cookie}`, 200],
        // On localhost, browsers take secure names from pages under http, and send them there.
        [`${`__Secure-${made}; `.repeat(40)}${cookie}`, 200],
        // It can add one of our own name for each path; 32 are looked up, and no more.
        [`${`${own}=${newConsoleSecret()}; `.repeat(31)}${cookie}`, 200],
        [`${`${own}=${newConsoleSecret()}; `.repeat(32)}${cookie}`, 401],
        [made, 401],
        [`x${cookie}`, 401],
        [`${cookie}x`, 401],
        ["animal_store_console", 401],
        [`animal_store_console=${"a".repeat(5_000)}`, 401],
      ] as const) {
        browser.cookie = sent;
        expect([sent, (await browser.call("GET /session")).status]).toEqual([sent, status]);
      }
      clock.advance(MINUTE_MS);
    });

    test("wrong tokens are limited by address; a valid session is not affected, and a minute later all is well", async () => {
      const browser = await enter();
      const stranger = new ConsoleBrowser(service);
      const right = await link();
      const statuses: number[] = [];
      for (let i = 0; i < ATTEMPTS_PER_MINUTE + 2; i++)
        statuses.push((await stranger.signIn(newConsoleSecret())).status);
      expect(statuses).toEqual([...Array(ATTEMPTS_PER_MINUTE).fill(401), 429, 429]);
      const refused = await stranger.signIn(right);
      expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "60"]);
      expect(await refused.json()).toMatchObject({
        code: "too_many_attempts",
        message: expect.stringContaining("60 s"),
      });
      expect((await stranger.call("GET /session")).status).toBe(429);
      expect((await browser.call("GET /session")).status).toBe(200);
      clock.advance(59 * SECOND_MS);
      expect((await stranger.signIn(right)).status).toBe(429);
      clock.advance(SECOND_MS);
      expect((await stranger.signIn(right)).status).toBe(204);
    });

    test("what is no sign-in is refused in words, and used up by nobody", async () => {
      const browser = new ConsoleBrowser(service);
      const token = await link();
      const json = { "Content-Type": "application/json" };
      for (const [body, status, code] of [
        ["", 400, "invalid_json"],
        ["{", 400, "invalid_json"],
        ["null", 400, "missing_field"],
        ["{}", 400, "missing_field"],
        ['{"token":1}', 400, "missing_field"],
        ['{"token":{}}', 400, "missing_field"],
        ['{"token":""}', 401, "invalid_token"],
        [`{"token":"${token} "}`, 401, "invalid_token"],
        [`{"token":"${token.toLowerCase()}"}`, 401, "invalid_token"],
        [`{"token":"${"a".repeat(17_000)}"}`, 413, "payload_too_large"],
      ] as const) {
        const response = await browser.call("POST /session", { body, headers: json });
        const answer = (await response.json()) as { code: string; message: string };
        expect([body.slice(0, 80), response.status, answer.code]).toEqual([body.slice(0, 80), status, code]);
        expect(answer.message.length).toBeGreaterThan(10);
      }
      for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"]) {
        const response = await browser.call("POST /session", {
          body: JSON.stringify({ token }),
          headers: { "Content-Type": type },
        });
        expect([type, response.status]).toEqual([type, 415]);
      }
      expect((await browser.signIn(token)).status).toBe(204);
    });
  });
});

test("the cookie is for the console alone, unseen by scripts and other sites, and for https where the page is", async () => {
  const env = { TRUSTED_PROXIES: "127.0.0.1", TRUSTED_HOSTS: "store.example.com" };
  const service = await startService({ env });
  const { host, port } = new URL(service.origin);
  const cookieFor = async (headers: Record<string, string | undefined>): Promise<string> => {
    const response = await new ConsoleBrowser(service).signIn(await newLink(service), { headers });
    expect(response.status).toBe(204);
    return response.headers.getSetCookie().join("\n");
  };
  const flags = "Path=/console; HttpOnly; SameSite=Strict; Max-Age=43200";
  const plain = new RegExp(`^animal_store_console_${port}=[0-9A-Za-z]{50}; ${flags}$`);
  const secure = new RegExp(`^__Secure-animal_store_console(_${port})?=[0-9A-Za-z]{50}; ${flags}; Secure$`);
  expect(await cookieFor({})).toMatch(plain);
  expect(await cookieFor({ Origin: undefined, "Sec-Fetch-Site": "same-origin" })).toMatch(plain);
  const forwarded = { "X-Forwarded-Proto": "https", "X-Forwarded-Host": "store.example.com" };
  expect(await cookieFor({ ...forwarded, Origin: "https://store.example.com" })).toMatch(secure);
  expect(await cookieFor({ ...forwarded, Origin: undefined, "Sec-Fetch-Site": "same-origin" })).toMatch(secure);
  // A proxy that terminates TLS without saying so.
  expect(await cookieFor({ Origin: `https://${host}` })).toMatch(secure);
});

test("wrong tokens and foreign origins are in the log, once a minute for each address, and never a token", async () => {
  const logged: string[] = [];
  const service = await startService({ logged });
  const stranger = new ConsoleBrowser(service);
  const token = newConsoleSecret();
  for (let i = 0; i < 5; i++) await stranger.signIn(token);
  for (let i = 0; i < 5; i++) await stranger.call("POST /session", { headers: { Origin: "https://evil.example.com" } });
  await stranger.call("GET /session");
  await service.stop();
  const lines = logged.filter((line) => line.includes("refused")).map((line) => JSON.parse(line));
  expect(lines.map(({ code, repeated = 1 }) => [code, repeated]).sort()).toEqual([
    ["foreign_origin", 1],
    ["foreign_origin", 4],
    ["invalid_token", 1],
    ["invalid_token", 4],
  ]);
  expect(lines[0]).toMatchObject({ address: "127.0.0.1", path: "/console/api/session", status: 401 });
  expect(logged.join("")).not.toContain(token);
});

test("a secure cookie stays so when it is prolonged, and no other port under http can put cookies before it", async () => {
  const clock = new FakeClock();
  const service = await startService({ clock });
  const browser = new ConsoleBrowser(service);
  const origin = service.origin.replace("http:", "https:");
  await browser.signIn(await newLink(service, { nowMs: clock.nowMs() }), { headers: { Origin: origin } });
  const [name = "", secret = ""] = browser.cookie?.split("=") ?? [];
  const plain = name.replace("__Secure-", "");
  browser.cookie = `${`${plain}=${newConsoleSecret()}; `.repeat(8)}${browser.cookie}`;
  // The name that it had before, whose value said that it was secure.
  for (const sent of [browser.cookie, `${plain}=${secret}.s`]) {
    clock.advance(HOUR_MS);
    browser.cookie = sent;
    const [cookie = ""] = (await browser.call("GET /session")).headers.getSetCookie();
    expect([cookie.startsWith(`${sent.split("; ").at(-1)};`), cookie.endsWith("; Secure")]).toEqual([true, true]);
  }
});

test("made-up cookies use up the limit of their address, but never keep away who is signed in there, on any thread", async () => {
  const service = await startService({ env: { THREADS: "2", ANONYMOUS_PER_MINUTE: "1" } });
  const browser = await signedIn(service);
  const stranger = new ConsoleBrowser(service);
  const asked = Array.from({ length: 40 }, async () => {
    const made = Array.from({ length: 10 }, () => {
      stranger.cookie = `animal_store_console=${newConsoleSecret()}`;
      return stranger.call("GET /session", { headers: { Connection: "close" } });
    });
    const { status } = await browser.call("GET /session", { headers: { Connection: "close" } });
    return [status, ...(await Promise.all(made)).map((response) => response.status)];
  });
  const statuses = await Promise.all(asked);
  expect(statuses.map(([status]) => status)).toEqual(Array(40).fill(200));
  const ofStranger = new Set(statuses.flatMap(([, ...made]) => made));
  expect([ofStranger.has(429), ofStranger.has(200)]).toEqual([true, false]);
});

test("whoever does not come from a trusted proxy cannot say that the page was under https", async () => {
  const service = await startService();
  const headers = { Origin: undefined, "Sec-Fetch-Site": "same-origin", "X-Forwarded-Proto": "https" };
  const response = await new ConsoleBrowser(service).signIn(await newLink(service), { headers });
  expect(response.headers.getSetCookie().join()).not.toContain("Secure");
});

test("two stores at ports of one host keep a browser signed in to both", async () => {
  const [one, two] = [await startService(), await startService()];
  const browsers = [await signedIn(one), await signedIn(two)] as const;
  const [ofOne = "", ofTwo = ""] = browsers.map(({ cookie }) => cookie);
  expect(ofOne.split("=")[0]).not.toBe(ofTwo.split("=")[0] as string);
  // Browsers send cookies by host, whatever the port.
  for (const browser of browsers) browser.cookie = `${ofOne}; ${ofTwo}`;
  for (const browser of browsers) expect((await browser.call("GET /session")).status).toBe(200);
  const ended = (await browsers[0].call("DELETE /session")).headers.getSetCookie();
  expect(ended.map((cookie) => cookie.split("=")[0])).toEqual([ofOne.split("=")[0]]);
  expect((await browsers[1].call("GET /session")).status).toBe(200);
});
