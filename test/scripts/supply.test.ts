import { describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { embeddedInBun } from "../../scripts/sbom/runtime.ts";
import { temporaryFolder } from "../harness/folder.ts";

const ROOT = join(import.meta.dir, "../..");
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");

interface AuditStep {
  readonly run?: string;
  readonly "working-directory"?: string;
}

describe("what is run to check and build the program is pinned", () => {
  test("no command fetches what no lock file has", () => {
    for (const path of ["package.json", ".ci/run", ".ci/lint/run", ".github/workflows/ci.yml", "Dockerfile"])
      expect([path, ...read(path).matchAll(/npx (?:--yes|-y)|npm exec|bunx|npm (?:i|install)\b/g)]).toEqual([path]);
  });

  const LOCK_FILES = [...new Bun.Glob("**/package-lock.json").scanSync({ cwd: ROOT, dot: true })].filter(
    // Earlier releases, which tests and benchmarks build, have their own in build/.
    (path) => !/(^|\/)(node_modules|\.git|build)\//.test(path),
  );

  test.each(LOCK_FILES)("%s has a checksum of every package", (path) => {
    const { packages } = JSON.parse(read(path)) as { packages: Record<string, Record<string, unknown>> };
    const fetched = Object.entries(packages).filter(([at, { link }]) => at.includes("node_modules/") && !link);
    expect(fetched.length).toBeGreaterThan(50);
    expect(fetched.filter(([, { integrity }]) => !integrity)).toEqual([]);
  });

  test("the known holes of each lock file are asked for", () => {
    const { jobs } = Bun.YAML.parse(read(".github/workflows/ci.yml")) as { jobs: { audit: { steps: AuditStep[] } } };
    const audits = jobs.audit.steps.filter(({ run }) => run?.startsWith("npm audit"));
    const folders = audits.map((step) => step["working-directory"]);
    expect(folders.map((folder) => join(folder ?? "", "package-lock.json")).sort()).toEqual(LOCK_FILES.sort());
  });

  test("actions are named by their commit", () => {
    const used = [...read(".github/workflows/ci.yml").matchAll(/uses: (.*)/g)].map(([, action]) => action);
    expect(used.length).toBeGreaterThan(0);
    for (const action of used) expect(action).toMatch(/^[\w/-]+@[0-9a-f]{40} # v[\d.]+$/);
  });

  test("linters of others run without install scripts, without our environment, and not as root", async () => {
    const [bin, temporary] = [temporaryFolder(), join(temporaryFolder(), "with spaces")];
    mkdirSync(temporary, { mode: 0o700 });
    // In the place of npm, this installs linters that say who and where they are.
    const linter =
      '#!/bin/sh\\necho "$(id -u) $(printenv SECRET || echo none) $(ls openapi.json openapi-3.0.json compose.yaml | wc -l) $1"\\n';
    writeFileSync(
      join(bin, "npm"),
      `#!/bin/sh
      echo "$1 $4"
      mkdir -p "$3/node_modules/.bin" && cd "$3/node_modules/.bin"
      for name in spectral dclint; do printf '${linter}' >$name; chmod 700 $name; done`,
    );
    chmodSync(join(bin, "npm"), 0o755);
    const env = { PATH: `${bin}:${process.env.PATH}`, TMPDIR: temporary, SECRET: "seen" };
    const command = [join(ROOT, ".ci/lint/run"), "spectral", "compose"];
    const child = Bun.spawn(command, { cwd: bin, env, stdout: "pipe", stderr: "pipe" });
    const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
    const user = process.getuid?.() === 0 ? 65534 : process.getuid?.();
    expect([await child.exited, err, out.split("\n")]).toEqual([
      0,
      "",
      ["ci --ignore-scripts", `${user} none 3 lint`, `${user} none 3 compose.yaml`, ""],
    ]);
  });

  test.if(process.getuid?.() === 0)("a node that only root can run does not make linters run as root", async () => {
    const [bin, own] = [temporaryFolder(), temporaryFolder()];
    const tools = "bash sh dirname id setpriv mktemp cp chmod mkdir rm env".split(" ");
    for (const tool of tools) symlinkSync(Bun.which(tool) as string, join(bin, tool));
    writeFileSync(join(own, "node"), '#!/bin/sh\n[ "$1" = -p ] && echo "$0" || echo "node of $(id -u)"\n');
    const linter = "#!/bin/sh\\nid -u; node --version\\n";
    writeFileSync(
      join(bin, "npm"),
      `#!/bin/sh
      mkdir -p "$3/node_modules/.bin" && cd "$3/node_modules/.bin" && printf '${linter}' >spectral && chmod 700 spectral`,
    );
    for (const path of [bin, join(bin, "npm"), join(own, "node")]) chmodSync(path, 0o755);
    chmodSync(own, 0o700);
    const command = [join(ROOT, ".ci/lint/run"), "spectral"];
    const child = Bun.spawn(command, { env: { PATH: `${bin}:${own}` }, stdout: "pipe", stderr: "pipe" });
    const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
    expect([await child.exited, err, out.trim().split("\n")]).toEqual([0, "", ["65534", "node of 65534"]]);
  });
});

describe("npm run sbom", () => {
  test("lists what is bundled and what Bun embeds, with licences, and nothing else", async () => {
    const folder = temporaryFolder();
    const command = [process.execPath, join(ROOT, "scripts/sbom.ts"), folder];
    expect(await Bun.spawn(command, { cwd: folder, stderr: "ignore" }).exited).toBe(0);
    type Component = { name: string; version?: string; licenses: object[]; components?: Component[] };
    const { components }: { components: Component[] } = await Bun.file(join(folder, "sbom.cdx.json")).json();
    const [bun, ...packages] = components;
    expect(bun).toMatchObject({ name: "Bun", version: Bun.version });
    const embedded = new Map(bun?.components?.map(({ name, version }) => [name, version]));
    expect(embedded.get("WebKit (JavaScriptCore)")).toBe(process.versions.webkit as string);
    expect(embedded.get("SQLite")).toBe(process.versions.sqlite as string);
    expect([...embedded.keys()]).toContain("Brotli");
    const names = packages.map(({ name }) => name);
    // One each of the program, of the pages of the console, of a dependency, and of the reference of the API.
    for (const name of ["ioredis", "preact", "denque", "@scalar/fastify-api-reference"]) expect(names).toContain(name);
    for (const name of ["typescript", "playwright-core", "@types/bun"]) expect(names).not.toContain(name);
    for (const { licenses } of [...components, ...(bun?.components ?? [])]) expect(licenses).toHaveLength(1);
    const texts = await Bun.file(join(folder, "LICENSES.txt")).text();
    expect(texts).toContain(await Bun.file(join(ROOT, "node_modules/ioredis/LICENSE")).text());
    expect(texts).not.toContain("The package has no text of it.");
  });

  test("a Bun that contains something unknown is an error that says where to name it", () => {
    expect(() => embeddedInBun({ ...process.versions, quantum: "1" })).toThrow(
      "Bun contains something new: quantum. Say in scripts/sbom/runtime.ts what it is.",
    );
  });
});
