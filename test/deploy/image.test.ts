import { describe, expect, test } from "bun:test";
import { cpSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { configOf, imageEnvironment, textOf } from "../harness/deploy/deployment.ts";
import { temporaryFolder } from "../harness/folder.ts";
import { run, serve } from "../harness/program/program.ts";
import { freePort } from "../harness/servers/port.ts";

const ROOT = join(import.meta.dir, "../..");
const [buildStage, finalStage] = textOf("Dockerfile")
  .replaceAll("\\\n", " ")
  .split(/^FROM .+$/m)
  .slice(1)
  .map((stage) => stage.split("\n").filter((line) => /^[A-Z]+ /.test(line))) as [string[], string[]];

/** The arguments of an instruction in the JSON form, which needs no shell. */
const listIn = (line: string | undefined): string[] => JSON.parse(/\[.*\]/.exec(line ?? "")?.[0] as string);
const finalLine = (start: string): string | undefined => finalStage.find((line) => line.startsWith(start));

/** Interprets .dockerignore like Docker: the last pattern that matches a file or a parent folder decides. */
function isSent(path: string): boolean {
  const parents = path.split("/").map((_, i, parts) => parts.slice(0, i + 1).join("/"));
  let isIgnored = false;
  for (const line of textOf(".dockerignore").trim().split("\n")) {
    const glob = new Bun.Glob(line.replace(/^!/, ""));
    if (parents.some((parent) => glob.match(parent))) isIgnored = !line.startsWith("!");
  }
  return !isIgnored;
}

/** Runs the first stage, without downloading packages. Returns the resulting folder. */
function buildAsDockerDoes(): string {
  const context = ["*", "bin/**", "client/*", "console/**", "scripts/**", "src/**", "test/documents/generators/*"]
    .flatMap((pattern) => [...new Bun.Glob(pattern).scanSync({ cwd: ROOT, dot: true })])
    .filter(isSent);
  const folder = temporaryFolder();
  for (const [instruction, ...words] of buildStage.map((line) => line.split(" "))) {
    const command = words.join(" ");
    if (instruction === "COPY") copy(context, words.slice(0, -1), join(folder, words.at(-1) as string));
    else if (command.startsWith("npm ci")) symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
    else if (instruction === "RUN") {
      const { exitCode, stderr } = Bun.spawnSync(command.split(" "), { cwd: folder, stderr: "pipe" });
      if (exitCode !== 0) throw new Error(`${command}: ${stderr}`);
    }
  }
  return folder;
}

function copy(context: readonly string[], sources: readonly string[], target: string): void {
  for (const source of sources) {
    const found = context.filter((path) => path === source || path.startsWith(`${source}/`));
    if (found.length === 0) throw new Error(`COPY ${source}: .dockerignore keeps it from being sent`);
    for (const path of found) {
      const rest = path === source ? (path.split("/").at(-1) as string) : path.slice(source.length + 1);
      mkdirSync(join(target, rest, ".."), { recursive: true });
      cpSync(join(ROOT, path), join(target, rest));
    }
  }
}

describe("the image", () => {
  test("sends no test, no history and no data to the builder", () => {
    for (const path of ["src/config.ts", "package-lock.json", "scripts/build.ts"]) expect(isSent(path)).toBe(true);
    for (const path of [
      "src/config.test.ts",
      ".git/config",
      ".env",
      "data/animal-store.db",
      "node_modules/pino",
      "test",
    ])
      expect(isSent(path)).toBe(false);
  });

  test("is built from the files that it copies, and what it runs needs nothing else", async () => {
    const folder = buildAsDockerDoes();
    const [, built, installed] = /^COPY --from=build (\S+) (\S+)$/.exec(finalLine("COPY") as string) as RegExpExecArray;
    const executable = join(folder, (built as string).replace("/app/", ""));
    expect((await run(["--version"], { cwd: temporaryFolder(), program: [executable] })).out).toBe(
      `${manifest.version}\n`,
    );
    expect(installed).toBe(`/usr/local/bin/${listIn(finalLine("ENTRYPOINT"))[0]}`);

    const program = [executable];
    const env = { ...imageEnvironment(), PORT: String(await freePort()) };
    const [name, ...check] = listIn(finalLine("HEALTHCHECK"));
    expect(name).toBe("animal-store");
    const service = await serve({ cwd: temporaryFolder(), env, program });
    expect(await run(check, { cwd: temporaryFolder(), env, program })).toMatchObject({ exitCode: 0, out: "ready\n" });
    expect(await service.kill("SIGTERM")).toBe(0);
    expect((await run(check, { cwd: temporaryFolder(), env, program })).exitCode).toBe(1);
  });

  test("serves on all addresses, not as root, with its data in a volume of its user", () => {
    const { HOST, PORT, DATABASE_URL } = configOf({});
    expect([HOST, PORT, listIn(finalLine("CMD"))]).toEqual(["0.0.0.0", 8080, ["serve"]]);
    expect(finalLine("EXPOSE")).toBe(`EXPOSE ${PORT}`);
    expect(finalLine("USER")).toBe("USER 1000:1000");
    const volume = (finalLine("VOLUME") as string).split(" ")[1] as string;
    const workingFolder = (finalLine("WORKDIR") as string).split(" ")[1] as string;
    expect(DATABASE_URL).toEqual({ kind: "sqlite", path: expect.any(String) });
    if (DATABASE_URL.kind === "sqlite") expect(join(workingFolder, DATABASE_URL.path, "..")).toBe(volume);
    expect(finalLine("RUN")).toMatch(new RegExp(`useradd --uid 1000 .*install -d -o animal-store .* ${volume}$`));
  });
});
