import { describe, expect, test } from "bun:test";
import { CHROMIUM, Page } from "../harness/browser/browser.ts";
import { atEnd } from "../harness/cleanup.ts";
import { startService, type TestService } from "../harness/service/service.ts";

// Cross-origin scripts in a real browser.

const TIMEOUT_MS = 180_000;
const REX = { name: "Rex", categoryId: 7 };

const site = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch: ({ url }) =>
    new Response("<!doctype html><title>Front desk</title>", {
      headers: {
        "Content-Type": "text/html",
        // A sandboxed page has an opaque origin, sent as `null`.
        ...(url.endsWith("/sandboxed") ? { "Content-Security-Policy": "sandbox allow-scripts" } : {}),
      },
    }),
});
atEnd(() => site.stop(true));
const siteOrigin = `http://127.0.0.1:${site.port}`;

interface Seen {
  readonly status?: number;
  readonly text?: string;
  readonly headers?: Record<string, string>;
  readonly failure?: string;
}

/** Calls the API from a script of the page. Returns what the script can see of the response. */
const callFrom = (page: Page, { origin, boundless }: TestService) => {
  const call = (path: string, init: RequestInit & { headers?: Record<string, string> } = {}): Promise<Seen> =>
    page.evaluate<Seen>(`fetch(${JSON.stringify(`${origin}/v1${path}`)}, ${JSON.stringify(init)}).then(
      async (answer) => ({ status: answer.status, text: await answer.text(), headers: Object.fromEntries(answer.headers) }),
      (error) => ({ failure: String(error) }))`);
  const bearer = (secret = boundless) => ({ Authorization: `Bearer ${secret}` });
  return { call, bearer };
};

describe.skipIf(!CHROMIUM)("a script on a page of another origin", () => {
  test(
    "reads status, body and headers of what it is answered, and can write",
    async () => {
      const service = await startService({ env: { CORS_ORIGINS: siteOrigin } });
      const { secret: poor } = await service.issueKey({ plan: "enterprise", quotas: { perMinute: 1, perDay: 9 } });
      const page = await Page.open(siteOrigin);
      const { call, bearer } = callFrom(page, service);

      const headers = { ...bearer(), "Content-Type": "application/json", "Idempotency-Key": "one" };
      const write = { method: "POST", headers, body: JSON.stringify(REX) };
      const created = await call("/pets", write);
      const { location, etag = "" } = created.headers ?? {};
      expect([created.status, location]).toEqual([201, `${service.origin}/v1/pets/1`]);
      expect((await call("/pets", write)).headers?.["idempotency-replayed"]).toBe("true");
      await call("/pets", { ...write, headers: { ...headers, "Idempotency-Key": "two" } });

      const list = await call("/pets?limit=1", { headers: { ...bearer(), "X-Request-Id": "mine" } });
      expect([list.status, JSON.parse(list.text ?? "")]).toEqual([200, [{ id: 1, ...REX, status: "available" }]]);
      expect(list.headers).toMatchObject({
        link: expect.stringContaining('rel="next"'),
        "x-request-id": "mine",
        "x-ratelimit-remaining": expect.any(String),
        ratelimit: expect.stringContaining('"minute"'),
        "ratelimit-policy": expect.stringContaining('"day"'),
      });
      const updated = await call("/pets/1", {
        method: "PATCH",
        headers: { ...headers, "Idempotency-Key": "three", "If-Match": etag },
        body: '{"name":"Max"}',
      });
      expect([updated.status, updated.text]).toEqual([200, expect.stringContaining("Max")]);
      expect((await call("/pets/2", { method: "DELETE", headers: bearer() })).status).toBe(204);
      expect((await call("/pets/1", { headers: bearer() })).headers).toMatchObject({
        deprecation: expect.any(String),
        sunset: expect.any(String),
      });

      const unauthorized = await call("/pets", { headers: bearer("wrong") });
      expect([unauthorized.status, unauthorized.text]).toEqual([401, expect.stringContaining("invalid_api_key")]);
      expect(unauthorized.headers?.["www-authenticate"]).toContain("invalid_token");
      for (const path of ["/pets/99", "/nothing"])
        expect((await call(path, { method: "DELETE", headers: bearer() })).status).toBe(404);
      await call("/pets", { headers: bearer(poor) });
      const limited = await call("/pets", { headers: bearer(poor) });
      expect([limited.status, Number(limited.headers?.["retry-after"]) > 0]).toEqual([429, true]);
      const wrongMethod = await call("/key", { method: "POST", headers: bearer() });
      expect([wrongMethod.status, wrongMethod.headers?.allow]).toEqual([405, "GET, HEAD, OPTIONS"]);
      await page.close();
    },
    TIMEOUT_MS,
  );

  test(
    "reads nothing without the setting, or if another origin has it",
    async () => {
      for (const env of [{}, { CORS_ORIGINS: "https://app.example.com" }]) {
        const service = await startService({ env });
        const page = await Page.open(siteOrigin);
        const { call, bearer } = callFrom(page, service);
        for (const init of [{}, { headers: bearer() }])
          expect(await call("/pets", init)).toEqual({ failure: "TypeError: Failed to fetch" });
        await page.close();
      }
    },
    TIMEOUT_MS,
  );

  test(
    "may be of any origin with *, and even of none",
    async () => {
      const service = await startService({ env: { CORS_ORIGINS: "*" } });
      for (const url of [siteOrigin, `${siteOrigin}/sandboxed`]) {
        const page = await Page.open(url);
        const { call, bearer } = callFrom(page, service);
        expect(await call("/pets", { headers: bearer() })).toMatchObject({ status: 200, text: "[]" });
        await page.close();
      }
    },
    TIMEOUT_MS,
  );
});
