import { describe, expect, test } from "bun:test";
import { CHROMIUM, Page } from "../harness/browser/browser.ts";
import { startService } from "../harness/service/service.ts";

const TIMEOUT_MS = 180_000;
const WIDTHS = [1280, 390];

const service = await startService();
const isNoticeShown = `document.getElementById("rounding").checkVisibility()`;
const originsOf = (page: Page): string[] => [...new Set(page.requested.map((url) => new URL(url).origin))];

describe.skipIf(!CHROMIUM)("in a real browser", () => {
  for (const width of WIDTHS)
    test(
      `the landing page says how to get a key, and its links work, ${width} pixels wide`,
      async () => {
        const page = await Page.open(`${service.origin}/`, { width, isDark: width === 390 });
        const text = await page.text();
        for (const shown of ["keys create", "ask whoever runs it", `${service.origin}/v1/pets`, "$API_KEY"])
          expect(text).toContain(shown);
        const links = await page.evaluate<string[]>("[...document.links].map((link) => link.href)");
        expect(links.map((link) => new URL(link).pathname)).toEqual(["/docs", "/account", "/openapi.json", "/readyz"]);
        for (const link of links) expect((await fetch(link)).status).toBe(200);
        expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
        expect(await page.evaluate("getComputedStyle(document.body).backgroundColor")).toBe(
          width === 390 ? "rgb(19, 25, 23)" : "rgb(247, 246, 241)",
        );
        expect([page.complaints, originsOf(page)]).toEqual([[], [service.origin]]);
        await page.close();
      },
      TIMEOUT_MS,
    );

  test(
    "an unknown page leads back, from however deep it is",
    async () => {
      const page = await Page.open(`${service.origin}/no/such/page.html?q=<script>`, { width: 390 });
      expect(await page.text()).toContain("There is nothing here");
      await page.evaluate("document.links[0].click()");
      await page.until(`location.pathname === "/" && document.body.innerText.includes("Get a key")`);
      expect(page.complaints.filter((complaint) => !complaint.includes("404"))).toEqual([]);
      await page.close();
    },
    TIMEOUT_MS,
  );

  test(
    "the reference has samples with this address and one key, asks nobody else, and keeps large integers exact",
    async () => {
      const page = await Page.open(`${service.origin}/docs`);
      await page.until(`document.body.innerText.includes("List animals") && document.querySelector("pre")`);
      await page.until(`document.body.innerText.includes("Bearer $API_KEY")`);
      const text = await page.text();
      for (const shown of ["Add an animal", `${service.origin}/v1/pets?status=available`, "missing_api_key"])
        expect(text).toContain(shown);
      expect(text).not.toMatch(/YOUR_SECRET|Client Libraries/);
      expect(await page.evaluate(isNoticeShown)).toBe(false);

      // In examples.
      await page.until(`document.body.innerText.includes('"categoryId": 9007199254740993')`);
      // In what it sends.
      const dialog = `document.querySelector("[role=dialog]")`;
      const body = `[...${dialog}.querySelectorAll(".cm-content")].find((editor) => editor.innerText.includes("categoryId"))`;
      await page.click("Test Request", "body", 1);
      await page.type(`${dialog}.querySelector("input[placeholder=Token]")`, service.boundless);
      await page.type(body, '{"name":"Largest","categoryId":9223372036854775807}');
      // Scalar takes over what was typed a moment later.
      while (!(await page.evaluate(`${dialog}.innerText.includes('"name": "Largest"')`))) {
        await page.click("Send", "[role=dialog]");
        await Bun.sleep(200);
      }
      expect((await service.call("GET /pets")).text).toContain('"categoryId":9223372036854775807');
      // In what comes back.
      expect(await page.evaluate<string>(`${dialog}.innerText`)).toContain('"categoryId": 9223372036854775807,');
      expect([page.complaints, originsOf(page)]).toEqual([[], [service.origin]]);
      await page.close();
    },
    TIMEOUT_MS,
  );

  test(
    "staging is announced on its pages, the reference offers production too, and a browser that must round says so",
    async () => {
      const env = { ENVIRONMENT: "staging", PRODUCTION_URL: "https://api.example.com/v1" };
      const { origin } = await startService({ env });
      const landing = await Page.open(`${origin}/`, { width: 1280 });
      expect(await landing.text()).toContain("STAGING");
      const script = "delete JSON.rawJSON; delete JSON.isRawJSON;";
      const page = await Page.open(`${origin}/docs`, { width: 1280, script });
      await page.until(`document.body.innerText.includes("This is staging")`);
      const text = await page.text();
      for (const shown of ["STAGING", `${origin}/v1`]) expect(text).toContain(shown);
      expect(await page.evaluate<string>("document.title")).toContain("(staging)");
      expect(await page.evaluate(isNoticeShown)).toBe(true);
      expect([...landing.complaints, ...page.complaints]).toEqual([]);
      await landing.close();
      await page.close();
    },
    TIMEOUT_MS,
  );
});
