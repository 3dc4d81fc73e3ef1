import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { SETTINGS } from "../../src/config.ts";
import { openapiDocument } from "../../src/http/openapi/document.ts";
import { openapi30Document } from "../../src/http/openapi/document-30.ts";
import { RawConnection } from "../harness/requests/raw.ts";
import { startService, type TestService } from "../harness/service/service.ts";

// Links lead to PUBLIC_URL, or else to the requested host, and never anywhere else.

const nextOf = (headers: Headers): string | undefined => /<([^>]+)>; rel="next"/.exec(headers.get("link") ?? "")?.[1];

async function startWithAnimals(env: Record<string, string> = {}): Promise<TestService> {
  const service = await startService({ env });
  for (const name of ["Rex", "Mia", "Tom"]) await service.call("POST /pets", { body: { name, categoryId: 7 } });
  return service;
}

describe("a service on all addresses, without PUBLIC_URL", () => {
  test("a client gets links to the host and the port that it has used", async () => {
    const service = await startWithAnimals({ HOST: "0.0.0.0" });
    for (const host of ["localhost:9000", "store.example", "192.0.2.7:8080", "[2001:db8::1]:8080"]) {
      const headers = { Host: host };
      const listed = await service.call("GET /pets?limit=1", { headers });
      expect(nextOf(listed.headers)).toBe(`http://${host}/v1/pets?limit=1&cursor=0000000000000001`);
      const added = await service.call("POST /pets", { headers, body: { name: "Zoe", categoryId: 7 } });
      expect(added.headers.get("location")).toBe(`http://${host}/v1/pets/${added.json.id}`);
      const got = await service.call("GET /pets/1", { headers });
      expect(got.headers.get("link")).toBe(
        `<http://${host}/docs>; rel="deprecation"; type="text/html", <http://${host}/v1/pets>; rel="successor-version"`,
      );
      const refused = await service.call("GET /pets/1", { headers, secret: null });
      expect(refused.headers.get("link")).toBe(got.headers.get("link"));
      const order = await service.call("POST /store/orders", { headers, body: { petId: added.json.id } });
      expect(order.headers.get("location")).toBe(`http://${host}/v1/store/orders/${order.json.id}`);
      for (const path of ["/", "/docs", "/openapi.json"]) {
        const page = await fetch(service.origin + path, { headers });
        const text = await page.text();
        expect(text).toContain(`http://${host}/v1`);
        expect(text + JSON.stringify([...page.headers])).not.toMatch(/127\.0\.0\.1|0\.0\.0\.0/);
      }
    }
  });

  test("a retry gets a link to the host that it asked, whoever the first one asked", async () => {
    const service = await startWithAnimals({ HOST: "0.0.0.0" });
    const post = (host: string) =>
      service.call("POST /pets", {
        headers: { Host: host, "Idempotency-Key": "one" },
        body: { name: "Zoe", categoryId: 7 },
      });
    expect((await post("first.example")).headers.get("location")).toBe("http://first.example/v1/pets/4");
    const retry = await post("second.example:81");
    expect(retry.headers.get("idempotency-replayed")).toBe("true");
    expect(retry.headers.get("location")).toBe("http://second.example:81/v1/pets/4");
  });

  test("HTTP/1.0 without a Host gets a path, which leads to whom it asked", async () => {
    const service = await startWithAnimals({ HOST: "0.0.0.0" });
    const connection = await RawConnection.open(service.origin);
    connection.send(`GET /v1/pets?limit=1 HTTP/1.0\r\nAuthorization: Bearer ${service.boundless}\r\n\r\n`);
    expect(await connection.answer()).toMatch(
      /\r\nlink: <\/v1\/pets\?limit=1&cursor=0000000000000001>; rel="next"\r\n/i,
    );
    connection.destroy();
    for (const path of ["/", "/docs", "/openapi.json"]) {
      const page = await RawConnection.open(service.origin);
      page.send(`GET ${path} HTTP/1.0\r\n\r\n`);
      const answer = await page.answer();
      expect(answer).toStartWith("HTTP/1.1 200");
      expect(answer).not.toMatch(/127\.0\.0\.1|0\.0\.0\.0|undefined/);
      page.destroy();
    }
  });
});

/** Host values that attackers use, and arbitrary ones. */
const anyHost = fc.oneof(
  fc.string({ minLength: 1, maxLength: 40 }),
  fc.stringMatching(/^[a-z0-9.:@/\\'"<>()[\]{};,&$%_~!*+=?#-]{1,30}$/),
  fc.constantFrom(
    "evil.example@127.0.0.1",
    "127.0.0.1/evil",
    "evil.example#",
    "a>; rel=next, <http://evil.example",
    '"><script>alert(1)</script>',
    "$(reboot)",
    "a%0d%0aX-Evil: 1",
    "[::1]evil",
    "[::ffff:1.2.3.4]:80",
    "example.com:0",
    "example.com:65536",
    "EXAMPLE.com:80",
    "münchen.example",
    `${"x".repeat(4000)}.example`,
  ),
);
const ASKED_FOR = ["/v1/pets?limit=1", "/v1/pets/1", "/", "/docs", "/openapi.json"];

test("whatever the Host header says, a link is a path or leads to that very host, and nothing else of it is repeated", async () => {
  const service = await startWithAnimals({ HOST: "0.0.0.0" });
  // Pages are limited by address, so each run has its own.
  const proxied = await startWithAnimals({ TRUSTED_PROXIES: "127.0.0.1" });
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(
      anyHost.filter((host) => !/[\r\n\0]/.test(host)),
      fc.constantFrom(...ASKED_FOR),
      fc.boolean(),
      async (host, target, isForwarded) => {
        runs++;
        const { origin, boundless } = isForwarded ? proxied : service;
        const connection = await RawConnection.open(origin);
        const named = isForwarded ? `Host: inner.example\r\nX-Forwarded-Host: ${host}\r\n` : `Host: ${host}\r\n`;
        const visitor = `X-Forwarded-For: 198.51.${runs >> 8}.${runs & 255}\r\n`;
        connection.send(
          `GET ${target} HTTP/1.1\r\n${named}${visitor}Authorization: Bearer ${boundless}\r\nConnection: close\r\n\r\n`,
        );
        const answer = await connection.until(() => false);
        connection.destroy();
        const status = Number(answer.slice(9, 12));
        if (answer === "" || [400, 429, 431].includes(status)) return;
        expect(status).toBe(200);
        const allowed = isForwarded ? [host.split(",").at(-1) as string, "inner.example"] : [host];
        const hosts = allowed.flatMap((name) => URL.parse(`http://${name.trim()}`)?.host ?? []);
        for (const [, found] of answer.matchAll(/(?:https?:)?\/\/([^/>"\s&]*)\/(?:v1|docs)/g))
          expect(hosts).toContain(found as string);
        for (const [, path] of answer.matchAll(/^(?:link|location): <?([^>\r]*)/gim))
          expect(path).toMatch(/^(?:http:\/\/(?:[a-z0-9_.-]+|\[[0-9a-f:.]+\])(?::[0-9]+)?)?\/(?:v1|docs)/);
        for (const evil of ["<script>alert", "$(reboot)", "X-Evil: 1", "rel=next,"]) expect(answer).not.toContain(evil);
      },
    ),
    { numRuns: 300 },
  );
});

describe.each([
  ["on SQLite", "1"],
  ["with 4 threads", "4"],
])("the reply cache %s", (_, threads) => {
  test("keeps what clients of different hosts get apart, however they take turns", async () => {
    const service = await startWithAnimals({ HOST: "0.0.0.0", THREADS: threads, TRUSTED_PROXIES: "127.0.0.1" });
    const anyClient = fc.record({
      host: fc.constantFrom("one.example", "two.example:81"),
      forwarded: fc.constantFrom(undefined, "three.example", "one.example"),
      proto: fc.constantFrom(undefined, "https"),
      target: fc.constantFrom("/pets?limit=1", "/pets?limit=2", "/pets/1"),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(anyClient, { minLength: 4, maxLength: 16 }), async (clients) => {
        await Promise.all(
          clients.map(async ({ host, forwarded, proto, target }) => {
            const headers = {
              Host: host,
              ...(forwarded ? { "X-Forwarded-Host": forwarded } : {}),
              ...(proto ? { "X-Forwarded-Proto": proto } : {}),
            };
            const { headers: answered } = await service.call(`GET ${target}`, { headers });
            const base = `${proto ?? "http"}://${forwarded ?? host}`;
            expect(answered.get("link")).toStartWith(target === "/pets/1" ? `<${base}/docs>` : `<${base}/v1${target}&`);
          }),
        );
      }),
      { numRuns: 40 },
    );
  });
});

test("the document is the same for every address, but for the address", async () => {
  const service = await startService({ env: { HOST: "0.0.0.0" } });
  const environment = "production" as const;
  for (const base of ["http://one.example/", "http://two.example:81/", "http://[2001:db8::1]/"]) {
    const textOf = async (path: string) =>
      (await fetch(service.origin + path, { headers: { Host: new URL(base).host } })).text();
    const urls = { publicUrl: `${base}v1`, docsUrl: `${base}docs`, environment, otherUrl: undefined };
    expect(await textOf("/openapi.json")).toBe(JSON.stringify(openapiDocument(urls)));
    expect(await textOf("/openapi-3.0.json")).toBe(JSON.stringify(openapi30Document(urls)));
  }
});

test("the pages of many hosts are made anew, and those of one are kept", async () => {
  const service = await startService({ env: { TRUSTED_PROXIES: "127.0.0.1" } });
  const tagOf = async (host: string, i: number) => {
    const headers = { Host: host, "X-Forwarded-For": `198.51.100.${i}` };
    const page = await fetch(`${service.origin}/openapi.json`, { headers });
    expect(((await page.json()) as { servers: unknown[] }).servers).toMatchObject([{ url: `http://${host}/v1` }]);
    return page.headers.get("etag");
  };
  const first = await tagOf("one.example", 0);
  for (let i = 1; i < 40; i++) expect(await tagOf(`host-${i}.example`, i)).not.toBe(first);
  expect(await tagOf("one.example", 41)).toBe(first);
});

test("who listens on all addresses is told of PUBLIC_URL once, and nobody else is", async () => {
  const warned = async (env: Record<string, string>) => {
    const logged: string[] = [];
    await (await startService({ env, logged })).stop();
    return logged.filter((line) => line.includes("PUBLIC_URL is not set")).length;
  };
  expect(await warned({ HOST: "0.0.0.0", THREADS: "2" })).toBe(1);
  expect(await warned({ HOST: "::" })).toBe(1);
  for (const HOST of [SETTINGS.HOST.fallback, "localhost", "127.0.0.2"]) expect(await warned({ HOST })).toBe(0);
  expect(await warned({ HOST: "0.0.0.0", PUBLIC_URL: "https://a.example/v1" })).toBe(0);
});
