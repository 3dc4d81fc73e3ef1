import { describe, expect, test } from "bun:test";
import { type Compiler, complaints, newConsumer } from "./harness/typescript.ts";

const consumer = await Bun.file(new URL("./consumer/consumer.ts", import.meta.url)).text();

const NODE = { lib: ["es2022"], types: ["node"] };
const BROWSER = { lib: ["es2022", "dom", "dom.iterable"], types: [] };
const MODULES = { module: "nodenext", moduleResolution: "nodenext" };
const BUNDLED = { module: "esnext", moduleResolution: "bundler" };

const SETTINGS: Record<string, [options: object, compilers: readonly Compiler[]]> = {
  "Node 20, without the DOM": [{ ...MODULES, ...NODE }, ["TypeScript 7", "TypeScript 5"]],
  "Node 20, with a bundler": [{ ...BUNDLED, ...NODE }, ["TypeScript 7"]],
  "browsers, with a bundler": [{ ...BUNDLED, ...BROWSER }, ["TypeScript 7"]],
  "browsers, without one": [{ ...MODULES, ...BROWSER }, ["TypeScript 7"]],
};

describe("the types of the published client are right for", () => {
  for (const [name, [options, compilers]] of Object.entries(SETTINGS))
    for (const compiler of compilers)
      test(`${name}, by ${compiler}`, async () => {
        expect(await complaints(compiler, newConsumer({ "consumer.ts": consumer }), options)).toBe("");
      });

  test("nobody who makes a mistake", async () => {
    const folder = newConsumer({ "consumer.ts": consumer.replaceAll("// @ts-expect-error", "//") });
    const said = await complaints("TypeScript 7", folder, { ...MODULES, ...NODE });
    const mistakes = consumer.match(/@ts-expect-error/g) ?? [];
    expect(new Set(said.match(/consumer\.ts\(\d+/g)).size).toBe(mistakes.length);
  });
});
