import { expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { bundlePages } from "../../../src/console/assets/bundle.ts";
import { bundleAccount } from "../../../src/http/pages/account/bundle.ts";

test.each([
  ["all pages of the console together are", bundlePages, 94_000],
  ["the page of a key's holder is", bundleAccount, 52_500],
] as const)("%s at most so large, as they are sent", async (_, bundle, maxBytes) => {
  const files = await bundle();
  const sizes = files.map(({ content }) => gzipSync(content, { level: 9 }).byteLength);
  expect(files.map(({ name }) => name)).toContain("index.html");
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(maxBytes);
});

test("the pages load nothing from elsewhere", async () => {
  for (const { content, type } of [...(await bundlePages()), ...(await bundleAccount())]) {
    if (!/^text\/(?:html|css)/.test(type)) continue;
    expect(new TextDecoder().decode(content)).not.toMatch(/(?:src|href|url)[=(]["']?(?:https?:)?\/\//);
  }
});
