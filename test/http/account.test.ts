import { describe, expect, test } from "bun:test";
import { startService } from "../harness/service/service.ts";

const service = await startService();
const get = (path: string, origin = service.origin) => fetch(origin + path, { headers: { Accept: "text/html" } });

describe("the page of a key's holder", () => {
  test("may load and ask nothing but itself, and is kept by nobody", async () => {
    const { status, headers } = await get("/account");
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(headers.get("content-security-policy")).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("cross-origin-opener-policy")).toBe("same-origin");
    expect(headers.get("x-frame-options")).toBe("DENY");
    expect(headers.has("set-cookie")).toBe(false);
  });

  test("loads one script and one style sheet, relative to itself, which a cache may keep", async () => {
    const html = await (await get("/account")).text();
    const files = [...html.matchAll(/(?:src|href)="\.\/(account\/[^"]+)"/g)].map(([, file]) => file as string);
    expect(files.map((file) => file.split(".").at(-1)).sort()).toEqual(["css", "js"]);
    expect(html).not.toMatch(/<script[^>]*>[^<]|<style|\son\w+=|<form/);
    for (const file of files) {
      const { status, headers } = await get(`/${file}`);
      expect(status).toBe(200);
      expect(headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
    }
  });

  test("has no other files, and answers nothing but GET and HEAD", async () => {
    for (const path of [
      "/account/",
      "/account/index.html",
      "/account/..%2fmain.tsx",
      "/account/a/b",
      "/account/none.js",
    ])
      expect([path, (await get(path)).status]).toEqual([path, 404]);
    for (const method of ["POST", "PUT", "DELETE"])
      expect((await fetch(`${service.origin}/account`, { method })).status).toBe(405);
    expect((await fetch(`${service.origin}/account`, { method: "HEAD" })).status).toBe(200);
  });

  test("is served without the console, and says in staging where it is", async () => {
    const { origin } = await startService({ env: { CONSOLE: "off", ENVIRONMENT: "staging" } });
    expect(await (await get("/account", origin)).text()).toContain("STAGING");
    expect(await (await get("/", origin)).text()).toContain('href="/account"');
  });

  test("can be switched off, and then nothing speaks of it", async () => {
    const { origin } = await startService({ env: { ACCOUNT: "off" } });
    expect((await get("/account", origin)).status).toBe(404);
    expect(await (await get("/", origin)).text()).not.toContain("account");
  });
});
