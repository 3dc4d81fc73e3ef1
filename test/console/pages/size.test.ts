import { expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { bundlePages } from "../../../src/console/assets/bundle.ts";

const MAX_BYTES = 94_000;

test("all pages of the console together are at most 94 kB, as they are sent", async () => {
  const files = await bundlePages();
  const sizes = files.map(({ content }) => gzipSync(content, { level: 9 }).byteLength);
  expect(files.map(({ name }) => name)).toContain("index.html");
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MAX_BYTES);
});

test("the pages load nothing from elsewhere", async () => {
  for (const { content, type } of await bundlePages()) {
    if (!/^text\/(?:html|css)/.test(type)) continue;
    expect(new TextDecoder().decode(content)).not.toMatch(/(?:src|href|url)[=(]["']?(?:https?:)?\/\//);
  }
});
