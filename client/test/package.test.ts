import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { temporaryFolder } from "../../test/harness/folder.ts";
import { startService } from "../../test/harness/service/service.ts";
import { succeed } from "./harness/pack.ts";
import { PACKED } from "./harness/package.ts";

const ROOT = join(import.meta.dir, "../..");
const MAX_BYTES = 8_810;
const KIT_MAX_BYTES = 40_000;

const files = [...new Bun.Glob("**").scanSync({ cwd: PACKED.folder, dot: true })].sort();
const manifest = await Bun.file(join(PACKED.folder, "package.json")).json();

/** Bundles a program that uses the package. */
async function bundled(program: string, minify = false): Promise<string> {
  const folder = temporaryFolder();
  await Bun.write(
    join(folder, "main.js"),
    program.replace("animal-store-client", join(PACKED.folder, "dist/index.js")),
  );
  const { outputs } = await Bun.build({ entrypoints: [join(folder, "main.js")], target: "browser", minify });
  return (outputs[0] as Blob).text();
}

describe("the package", () => {
  test("holds what belongs there, and nothing else", async () => {
    const modules = [...new Bun.Glob("**/*.ts").scanSync(join(ROOT, "client/src"))].map((file) => file.slice(0, -3));
    const dist = modules.flatMap((name) => [`dist/${name}.d.ts`, `dist/${name}.js`, `dist/${name}.js.map`]);
    // The kit is a bundle, without a map.
    dist.splice(dist.indexOf("dist/testing.js.map"), 1);
    expect(files).toEqual(["CHANGELOG.md", "LICENSE", "README.md", "package.json", ...dist].sort());
    expect(await Bun.file(join(PACKED.folder, "LICENSE")).text()).toBe(await Bun.file(join(ROOT, "LICENSE")).text());
  });

  test("needs nothing, runs nothing when it is installed, and is an ES module with types", () => {
    expect(manifest).not.toContainAnyKeys(["dependencies", "peerDependencies", "optionalDependencies", "bin", "main"]);
    expect(Object.keys(manifest.scripts)).toEqual(["build", "prepack"]);
    expect([manifest.type, manifest.sideEffects, manifest.engines]).toEqual(["module", false, { node: ">=20" }]);
    const entry = (name: string) => ({ types: `./dist/${name}.d.ts`, default: `./dist/${name}.js` });
    expect(Object.entries<object>(manifest.exports).map(([path, files]) => [path, files])).toEqual([
      [".", entry("index")],
      ["./testing", entry("testing")],
      ["./package.json", "./package.json" as never],
    ]);
  });

  test("leads debuggers to its source, which is in the maps", async () => {
    for (const file of files.filter((name) => name.endsWith(".js") && name !== "dist/testing.js")) {
      const map = await Bun.file(join(PACKED.folder, `${file}.map`)).json();
      expect(await Bun.file(join(PACKED.folder, file)).text()).toContain(`sourceMappingURL=${map.file}.map`);
      const source = file.replace(/^dist(.*)js$/, "client/src$1ts");
      expect(map.sourcesContent).toEqual([await Bun.file(join(ROOT, source)).text()]);
    }
  });

  test("has the version that it sends", async () => {
    expect(await Bun.file(join(PACKED.folder, "dist/version.js")).text()).toContain(`"${manifest.version}"`);
    expect(await Bun.file(join(PACKED.folder, "CHANGELOG.md")).text()).toContain(`## ${manifest.version}`);
  });

  test("is as publint wants it", async () => {
    const tarball = await Bun.file(PACKED.tarball).arrayBuffer();
    const { messages, pkg } = await publint({ pack: { tarball }, strict: true });
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
  });

  test("is as Are The Types Wrong? wants it", async () => {
    const attw = join(ROOT, "node_modules/.bin/attw");
    // Fails if attw finds a problem.
    const said = await succeed([attw, PACKED.tarball, "--profile", "esm-only", "--format", "ascii"], ROOT);
    expect(said).toContain("(ESM)");
  });

  test(`has at most ${MAX_BYTES} bytes, minified and gzipped`, async () => {
    const program = await bundled(`export * from "animal-store-client";`, true);
    expect(Bun.gzipSync(program, { level: 9 }).length).toBeLessThanOrEqual(MAX_BYTES);
  });

  test(`has a testing kit of at most ${KIT_MAX_BYTES} bytes, minified and gzipped`, async () => {
    const { outputs } = await Bun.build({ entrypoints: [join(PACKED.folder, "dist/testing.js")], minify: true });
    const bytes = Bun.gzipSync(await (outputs[0] as Blob).text(), { level: 9 });
    expect(bytes.length).toBeLessThanOrEqual(KIT_MAX_BYTES);
  });

  test("uses nothing of Node, Bun or Deno that browsers do not have", async () => {
    const program = await bundled(`export * from "animal-store-client";`);
    expect(program).not.toMatch(/node:|bun:|\brequire\(|\bBuffer\b|\bimport\(/);
  });

  test("leaves nothing behind in a program that does not use it", async () => {
    expect(await bundled(`import "animal-store-client";`)).not.toMatch(/class|function|=>/);
  });
});

test("installed by npm, it works with import and with require", async () => {
  const service = await startService();
  const folder = temporaryFolder();
  await Bun.write(join(folder, "package.json"), "{}");
  await succeed(["npm", "install", "--offline", "--no-audit", "--no-fund", PACKED.tarball], folder);
  const program = `console.log(typeof AnimalStoreError, new AnimalStore().key().then(({ plan }) => console.log(plan)) && "");`;
  await Bun.write(
    join(folder, "main.mjs"),
    `import { AnimalStore, AnimalStoreError } from "animal-store-client";\n${program}`,
  );
  await Bun.write(
    join(folder, "main.cjs"),
    `const { AnimalStore, AnimalStoreError } = require("animal-store-client");\n${program}`,
  );
  const env = { ANIMAL_STORE_URL: `${service.origin}/v1`, ANIMAL_STORE_KEY: service.boundless };
  for (const file of ["main.mjs", "main.cjs"])
    expect((await succeed(["node", file], folder, env)).split(/\s+/)).toEqual(["function", "enterprise", ""]);
});
