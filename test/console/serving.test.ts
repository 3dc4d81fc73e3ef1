import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { dirname } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { MINUTE_MS } from "../../src/base/time/clock.ts";
import { setUp } from "../harness/cleanup.ts";
import { RawConnection } from "../harness/requests/raw.ts";
import { ConsoleBrowser, newLink, signedIn } from "../harness/service/console.ts";
import { startService, type TestService } from "../harness/service/service.ts";
import { FakeClock } from "../harness/time/clock.ts";

const assetsIn = (html: string): string[] =>
  [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path as string);

describe("the pages of the console", () => {
  let service: TestService;
  setUp(async () => {
    service = await startService();
  });

  test("every address below /console is the same page, which nobody keeps or frames", async () => {
    const pages = await Promise.all(
      ["", "/", "/keys", "/keys/key_1?x=1", "/a/b/c/d/", "/apis"].map(async (path) => {
        const response = await fetch(`${service.origin}/console${path}`);
        expect([path, response.status]).toEqual([path, 200]);
        expect(response.headers.get("cache-control")).toBe("no-store");
        expect(response.headers.get("content-type")).toBe("text/html;charset=utf-8");
        expect(response.headers.get("x-frame-options")).toBe("DENY");
        expect(response.headers.get("x-content-type-options")).toBe("nosniff");
        expect(response.headers.get("referrer-policy")).toBe("no-referrer");
        expect(response.headers.get("cross-origin-opener-policy")).toBe("same-origin");
        expect(response.headers.get("cross-origin-resource-policy")).toBe("same-origin");
        const policy = response.headers.get("content-security-policy") ?? "";
        expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
        expect(policy).toContain("frame-ancestors 'none'");
        expect(policy).not.toContain("unsafe");
        return response.text();
      }),
    );
    expect(new Set(pages).size).toBe(1);
    const [page = ""] = pages;
    expect(page).not.toMatch(/<style|style="|<script(?![^>]*src=)|\son\w+=|https?:\/\//);
    expect(page).toContain('<meta name="console-base" content="/console">');
  });

  test("what the page loads is there, may be kept for ever, and is compressed", async () => {
    const page = await (await fetch(`${service.origin}/console/`)).text();
    const paths = assetsIn(page);
    expect(paths.length).toBeGreaterThanOrEqual(2);
    for (const path of paths) {
      expect(path).toMatch(/^\/console\/assets\/[\w-]+-[0-9a-z]{8}\.(?:js|css|svg|png|ico|woff2)$/);
      const raw = (encoding: string) =>
        fetch(`${service.origin}${path}`, {
          headers: { "Accept-Encoding": encoding },
          decompress: false,
        } as RequestInit);
      const plain = await raw("identity");
      expect([path, plain.status]).toEqual([path, 200]);
      expect(plain.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
      expect(plain.headers.get("x-content-type-options")).toBe("nosniff");
      const content = await plain.bytes();
      const [br, gzip] = [await raw("gzip, br"), await raw("gzip")];
      expect([br.headers.get("content-encoding"), gzip.headers.get("content-encoding")]).toEqual(["br", "gzip"]);
      expect(brotliDecompressSync(await br.arrayBuffer())).toEqual(Buffer.from(content));
      expect(gunzipSync(await gzip.arrayBuffer())).toEqual(Buffer.from(content));
      const etag = plain.headers.get("etag") as string;
      const known = await fetch(`${service.origin}${path}`, { headers: { "If-None-Match": etag } });
      expect([known.status, await known.text()]).toEqual([304, ""]);
      const head = await fetch(`${service.origin}${path}`, { method: "HEAD" });
      expect([head.status, await head.text()]).toEqual([200, ""]);
    }
  });

  test("assets that there are not, and paths of the API that there are not, are not found", async () => {
    for (const path of [
      "assets/none.js",
      "assets/index.html",
      "assets/",
      "assets/a/b",
      "assets/..%2f..%2fpackage.json",
    ]) {
      const response = await fetch(`${service.consoleUrl}${path}`);
      expect([path, response.status]).toEqual([path, 404]);
      expect(response.headers.get("cache-control")).toBe("no-store");
    }
    const browser = await signedIn(service);
    for (const path of ["/none", "/", "/session/x", "/%00", "/__proto__", "/constructor"])
      expect([path, (await browser.call(`GET ${path}`)).status]).toEqual([path, 404]);
    const response = await browser.call("PUT /session", { body: {} });
    expect([response.status, response.headers.get("allow")]).toEqual([405, "GET, DELETE"]);
  });

  test("a response of the API is kept by nobody, and its request id is that of the log", async () => {
    const logged: string[] = [];
    const logging = await startService({ logged, env: { LOG_REQUESTS: "on" } });
    const browser = await signedIn(logging);
    const response = await browser.call("GET /session", { headers: { "X-Request-Id": "from-a-proxy" } });
    expect(response.headers.get("x-request-id")).toBe("from-a-proxy");
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(response.headers.get("content-security-policy")).toContain("default-src 'none'");
    await logging.stop();
    const line = logged.find((each) => each.includes('"requestId":"from-a-proxy"')) ?? "";
    expect(JSON.parse(line)).toMatchObject({ method: "GET", path: "/console/api/session", status: 200 });
  });

  test("bodies are bounded, and what is cut off or never ends costs nobody else anything", async () => {
    const browser = await signedIn(service);
    const large = await browser.call("PUT /categories/7", { body: { name: "y".repeat(16 * 1024) } });
    expect(large.status).toBe(413);
    const many = await browser.call("PUT /categories/7", { body: Array(100).fill(1) });
    expect(many.status).toBe(400);
    const connection = await RawConnection.open(service.origin);
    connection.send(
      `POST /console/api/session HTTP/1.1\r\nHost: ${new URL(service.origin).host}\r\nOrigin: ${service.origin}\r\n` +
        "Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{",
    );
    connection.destroy();
    expect((await browser.call("GET /session")).status).toBe(200);
  });
});

test("what is sent with a request that has no body is not taken for somebody else's next one", async () => {
  const service = await startService();
  const browser = await signedIn(service);
  const { host } = new URL(service.origin);
  const hidden = `DELETE /console/api/sessions HTTP/1.1\r\nHost: ${host}\r\nX: `;
  for (const method of ["GET", "HEAD"])
    for (const head of [`Content-Length: ${hidden.length}`, "Content-Length: 9999", "Transfer-Encoding: chunked"]) {
      const connection = await RawConnection.open(service.origin);
      const body = head.startsWith("T") ? `${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n` : hidden;
      connection.send(`${method} /console/api/session HTTP/1.1\r\nHost: ${host}\r\n${head}\r\n\r\n${body}`);
      expect(await connection.until((received) => received.includes("\r\n"))).toMatch(/^HTTP\/1\.1 401/);
      const statuses = await Promise.all(
        Array.from({ length: 5 }, async () => (await browser.call("GET /session")).status),
      );
      expect(statuses).toEqual(Array(5).fill(200));
      connection.destroy();
    }
});

describe("where the console is", () => {
  test("nowhere, with CONSOLE=off: /console is not found, as any other path", async () => {
    const service = await startService({ env: { CONSOLE: "off" } });
    expect(service.consoleUrl).toBeUndefined();
    const headers = { Accept: "text/html" };
    const [missing, other] = await Promise.all(
      ["/console/", "/nothing"].map((path) => fetch(`${service.origin}${path}`, { headers })),
    );
    expect([missing?.status, await missing?.text()]).toEqual([404, await other?.text()]);
    for (const path of ["/console", "/console/api/session", "/console/assets/x.js"])
      expect([path, (await fetch(`${service.origin}${path}`)).status]).toEqual([path, 404]);
    const post = await fetch(`${service.origin}/console/api/session`, { method: "POST", body: "{}" });
    expect(post.status).toBe(404);
  });

  test("on a port of its own, with CONSOLE_PORT, and not on that of the API", async () => {
    const service = await startService({ env: { CONSOLE_PORT: "0", PUBLIC_URL: "https://a.example.com/shop/v1" } });
    const browser = await signedIn(service);
    expect(browser.origin).not.toBe(service.origin);
    const session = await browser.call("GET /session");
    expect(await session.json()).toMatchObject({ publicUrl: "https://a.example.com/shop/v1", uploadMaxBytes: null });
    expect(browser.cookie).toBeDefined();
    expect((await fetch(`${service.origin}/console/`)).status).toBe(404);
    expect((await fetch(`${browser.origin}/v1/pets`)).status).toBe(404);
    expect((await fetch(`${browser.origin}/`)).status).toBe(404);
    const page = await (await fetch(service.consoleUrl as string)).text();
    for (const path of assetsIn(page)) expect((await fetch(`${browser.origin}${path}`)).status).toBe(200);
    // The API and the public address have different origins.
    for (const Origin of [service.origin, "https://a.example.com"])
      expect((await browser.call("DELETE /session", { headers: { Origin } })).status).toBe(403);
    await service.stop();
    expect(await fetch(service.consoleUrl as string).catch(() => "gone")).toBe("gone");
  });

  test("on a port of its own, strangers open no tunnels, name one host, and send no bodies without end", async () => {
    const service = await startService({ env: { CONSOLE_PORT: "0" } });
    const { origin, host } = new URL(service.consoleUrl as string);
    const answerTo = async (head: string, rest = ""): Promise<string> => {
      const connection = await RawConnection.open(origin);
      connection.send(`${head}\r\nHost: ${host}\r\nOrigin: ${origin}\r\n${rest}`);
      const answer = await connection.until(() => false);
      connection.destroy();
      return answer;
    };
    const chunked = "Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n";
    expect(await answerTo("POST /console/api/imports HTTP/1.1", chunked)).toStartWith("HTTP/1.1 401");
    expect(await answerTo("POST /console/keys HTTP/1.1", chunked)).toStartWith("HTTP/1.1 405");
    expect(await answerTo("POST /nothing HTTP/1.1", chunked)).toStartWith("HTTP/1.1 404");
    expect(await answerTo("CONNECT /console HTTP/1.1", "\r\n")).toStartWith("HTTP/1.1 405");
    const twice = await answerTo("GET /console/ HTTP/1.1", "Host: other\r\nConnection: close\r\n\r\n");
    expect(twice).toStartWith("HTTP/1.1 400");
  });

  test("a port that is in use fails the start, and names the setting", async () => {
    const taken = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
    const failure = await startService({ env: { CONSOLE_PORT: String(taken.port) } }).catch((error: Error) => error);
    expect((failure as Error).message).toContain(`port ${taken.port} on 127.0.0.1 is in use`);
    expect((failure as Error).message).toContain("CONSOLE_PORT");
    await taken.stop(true);
  });

  test("below the path that a proxy puts before it", async () => {
    const service = await startService({ env: { PUBLIC_URL: "https://a.example.com/shop/v1" } });
    const page = await (await fetch(`${service.origin}/console/`)).text();
    expect(page).toContain('<meta name="console-base" content="/shop/console">');
    for (const path of assetsIn(page)) {
      expect(path).toStartWith("/shop/console/assets/");
      expect((await fetch(`${service.origin}${path.slice("/shop".length)}`)).status).toBe(200);
    }
    const browser = new ConsoleBrowser(service);
    const response = await browser.signIn(await newLink(service), { headers: { Origin: "https://a.example.com" } });
    expect(response.headers.getSetCookie().join()).toContain("Path=/shop/console;");
  });

  test("in every thread, of which any hands on what it gets", async () => {
    const service = await startService({ env: { THREADS: "3" } });
    const browser = await signedIn(service);
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => browser.call("GET /session", { headers: { Connection: "close" } })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(30).fill(200));
  });
});

describe("the thread of the console", () => {
  test("is not there before the first request, ends when it is not used, and comes back with the next one", async () => {
    const clock = new FakeClock();
    const logged: string[] = [];
    const service = await startService({ clock, logged, consoleCheckIntervalMs: 5 });
    const browser = await signedIn(service, { nowMs: clock.nowMs() });
    const ended = () => logged.filter((line) => line.includes("was not used for 15 minutes")).length;
    clock.advance(14 * MINUTE_MS);
    expect((await browser.call("GET /session")).status).toBe(200);
    clock.advance(14 * MINUTE_MS);
    await Bun.sleep(50);
    expect(ended()).toBe(0);
    clock.advance(MINUTE_MS);
    while (ended() === 0) await Bun.sleep(5);
    expect((await browser.call("GET /session")).status).toBe(200);
    expect(ended()).toBe(1);
  });

  test("a service stops although the console is open, and answers what it was asked before", async () => {
    const service = await startService();
    const browser = await signedIn(service);
    const file = new TransformStream<Uint8Array, Uint8Array>();
    const writer = file.writable.getWriter();
    const answered = browser.call("POST /imports?name=a.csv&dryRun=true", { body: file.readable });
    await writer.write(Buffer.from("name,categoryId,status\n"));
    // The file has arrived once the console lists it.
    for (;;) {
      const works = (await (await browser.call("GET /imports/works")).json()) as unknown[];
      if (works.length > 0) break;
      await Bun.sleep(1);
    }
    const stopped = service.stop();
    await writer.write(Buffer.from("Rex,7,sold\n"));
    await writer.close();
    expect((await answered).status).toBe(202);
    await stopped;
    expect(await browser.call("GET /session").catch(() => "gone")).toBe("gone");
  });

  test("a service on which nobody has opened the console stops without starting it", async () => {
    const logged: string[] = [];
    const service = await startService({ logged });
    await service.stop();
    expect(logged.join("")).not.toContain("console");
  });
});

test("no other user of the machine finds a way to the socket that requests are relayed through", async () => {
  if (process.platform !== "linux") return;
  const service = await startService();
  await signedIn(service);
  const own = new Set(readdirSync("/proc/self/fd").map(linkOf));
  const listening = readFileSync("/proc/net/unix", "utf8")
    .split("\n")
    .map((line) => line.split(/ +/))
    .filter(([, , , flags, , , inode]) => flags === "00010000" && own.has(`socket:[${inode}]`));
  const paths = listening.map(([, , , , , , , path = ""]) => path).filter((path) => path.includes("animal-store"));
  expect(paths.length).toBeGreaterThan(0);
  expect(paths.filter((path) => path.startsWith("@") || existsSync(path))).toEqual([]);
});

/** The target of a descriptor of this process; nothing if it has been closed. */
function linkOf(descriptor: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`, "utf8");
  } catch {
    return "";
  }
}

test("an export leaves no file open, however often it is made", async () => {
  if (process.platform !== "linux") return;
  const service = await startService();
  const browser = await signedIn(service);
  const animal = { name: "Rex", categoryId: "7", status: "available" };
  expect((await browser.call("POST /animals", { body: animal })).status).toBe(200);
  const folder = dirname(service.storage.DATABASE_URL.replace("sqlite:", ""));
  const openFiles = () => readdirSync("/proc/self/fd").filter((each) => linkOf(each).startsWith(folder)).length;
  const exportOnce = async () => {
    expect(await (await browser.call("GET /export")).text()).toContain("Rex");
  };
  await exportOnce();
  const before = openFiles();
  expect(before).toBeGreaterThan(0);
  for (let i = 0; i < 10; i++) await exportOnce();
  // The last file is still being closed.
  while (openFiles() > before + 3) await Bun.sleep(1);
});

test("a cookie that is made up opens no more pages than none at all", async () => {
  const service = await startService();
  const browser = await signedIn(service);
  expect((await browser.call("GET /session")).headers.get("x-animal-store-signed-in")).toBeNull();
  const statuses: number[] = [];
  for (let i = 0; i < 130; i++)
    statuses.push(
      (await fetch(service.consoleUrl as string, { headers: { Cookie: "animal_store_console=x" } })).status,
    );
  expect(statuses.slice(-5)).toEqual(Array(5).fill(429));
  expect((await browser.call("GET /session")).status).toBe(200);
});

test("visitors without a session are counted as all others are; whoever has one is not", async () => {
  const service = await startService();
  const browser = await signedIn(service);
  const statuses: number[] = [];
  for (let i = 0; i < 130; i++) statuses.push((await fetch(`${service.origin}/console/`)).status);
  expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(0);
  expect(statuses.slice(0, 100)).toEqual(Array(100).fill(200));
  expect((await browser.call("GET /session")).status).toBe(200);
});
