import { describe, expect, test } from "bun:test";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { SCALAR_PATH } from "../../src/http/pages/paths.ts";
import { temporaryFolder } from "../harness/folder.ts";
import { EXECUTABLE, run, serve } from "../harness/program/program.ts";
import { clientOf } from "../harness/requests/client.ts";

const ROOT = join(import.meta.dir, "../..");

describe("the executable", () => {
  test("has every page inside, wherever it is started", async () => {
    const { origin, kill } = await serve({
      cwd: temporaryFolder(),
      env: { PUBLIC_URL: "http://127.0.0.1:8080/v1" },
    });
    const textOf = async (path: string) => {
      const response = await fetch(origin + path);
      expect(response.status).toBe(200);
      return response.text();
    };
    expect(await textOf("/")).toContain("Animal Store");
    expect(await textOf("/docs")).toContain(SCALAR_PATH);
    const scalar = readFileSync(join(ROOT, "node_modules/@scalar/fastify-api-reference/dist/js/standalone.js"), "utf8");
    expect((await textOf(SCALAR_PATH)) === scalar).toBe(true);
    const committed = JSON.parse(readFileSync(join(ROOT, "openapi.json"), "utf8"));
    expect(JSON.parse(await textOf("/openapi.json"))).toEqual(committed);
    expect(await kill("SIGTERM")).toBe(0);
  });

  test("does all that the program does", async () => {
    const cwd = temporaryFolder();
    const program = [EXECUTABLE];
    expect((await run(["--version"], { cwd, program })).out).toBe(`${manifest.version}\n`);
    expect((await run(["migrate"], { cwd, program })).exitCode).toBe(0);
    const created = await run(["keys", "create", "--name", "a", "--plan", "pro", "--json"], { cwd, program });
    expect(created.exitCode).toBe(0);
    const { id } = JSON.parse(created.out);
    expect((await run(["keys", "show", id], { cwd })).out).toContain("pro");
    const wrong = await run(["kyes"], { cwd, program });
    expect(wrong.exitCode).toBe(2);
    expect(wrong.err).toContain("keys");
    expect((await run(["backup", "copy.db"], { cwd, program })).exitCode).toBe(0);
  });

  test("reads its settings from the .env file of the folder where it is started, unless they are set", async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, ".env"), `# Where\nDATABASE_URL="sqlite:else where/pets.db"\nexport PORT=1\n`);
    const { banner, kill } = await serve({ cwd, env: { PORT: "0" } });
    expect(banner).toContain(join(cwd, "else where/pets.db"));
    await kill("SIGTERM");
    writeFileSync(join(cwd, ".env"), "LOG_LEVEL=loud\n");
    expect(await run(["keys", "list"], { cwd })).toMatchObject({
      exitCode: 1,
      err: expect.stringContaining('LOG_LEVEL must be one of debug, info, warn, error, silent, but is "loud"'),
    });
    rmSync(join(cwd, ".env"));
    mkdirSync(join(cwd, ".env"));
    const { err } = await run(["keys", "list"], { cwd });
    expect(err).toStartWith("animal-store: cannot read the file .env in this folder: ");
  });
});

describe("what lies in the current folder", () => {
  /** Files that Bun reads by itself, each of which would have its own code run or its own settings used. */
  function hostileFolder(): string {
    const cwd = temporaryFolder();
    const files = {
      "evil.ts": 'await Bun.write(new URL("evil-ran", import.meta.url), "");',
      "bunfig.toml": 'preload = ["./evil.ts"]\n[run]\npreload = ["./evil.ts"]\n',
      "tsconfig.json": JSON.stringify({
        compilerOptions: { baseUrl: ".", paths: { pino: ["./evil.ts"], commander: ["./evil.ts"], "*": ["./evil.ts"] } },
      }),
      "package.json": JSON.stringify({ name: "evil", type: "commonjs", browser: { pino: "./evil.ts" } }),
      ".env": "BUN_OPTIONS=--preload=./evil.ts\nNODE_OPTIONS=--require=./evil.ts\nPLAIN=1\n",
      ".env.local": "PORT=wrong\n",
      ".env.production": "PORT=wrong\n",
      ".env.development": "PORT=wrong\n",
      "node_modules/pino/index.js": 'require("../../evil.ts");',
      "node_modules/commander/index.js": 'require("../../evil.ts");',
    };
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(join(cwd, name, ".."), { recursive: true });
      writeFileSync(join(cwd, name), text);
    }
    return cwd;
  }

  for (const [name, program] of [
    ["the executable", [EXECUTABLE]],
    ["npx animal-store", ["node", join(ROOT, "bin/animal-store.js")]],
  ] as const)
    test(`does not change what ${name} runs, nor its threads`, async () => {
      const cwd = hostileFolder();
      expect((await run(["migrate"], { cwd, program })).exitCode).toBe(0);
      const created = await run(["keys", "create", "--name", "a", "--plan", "pro", "--json"], { cwd, program });
      expect(created).toMatchObject({ exitCode: 0, err: "" });
      const service = await serve({ cwd, program });
      const { secret } = JSON.parse(created.out);
      await clientOf(service, secret).pets.create({ name: "Rex", categoryId: 1 });
      expect(await service.kill("SIGTERM")).toBe(0);
      expect(existsSync(join(cwd, "evil-ran"))).toBe(false);
    });
});

describe("npm run build", () => {
  const checkout = temporaryFolder();
  for (const part of ["console", "scripts", "src", "package.json", "tsconfig.json"])
    cpSync(join(ROOT, part), join(checkout, part), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(checkout, "node_modules"));
  const executable = join(checkout, "build/animal-store");
  // The smallest program, since these tests are about when it is built: the whole one is built for the others.
  const main = join(checkout, "src/cli/main.ts");
  const program = 'console.log("animal-store");';
  writeFileSync(main, program);
  for (const thread of [
    "thread",
    "console-thread",
    "store/sqlite/writer/writer-thread",
    "store/sqlite/backup/backup-thread",
  ])
    writeFileSync(join(checkout, `src/${thread}.ts`), "export {};");

  async function build(): Promise<{ exitCode: number; err: string }> {
    const child = Bun.spawn([process.execPath, "scripts/build.ts"], { cwd: checkout, stderr: "pipe" });
    const err = await new Response(child.stderr).text();
    return { exitCode: await child.exited, err };
  }

  test("builds what is not there, once", async () => {
    expect(await build()).toEqual({ exitCode: 0, err: expect.stringContaining("Building") });
    const first = statSync(executable).ino;
    expect(await build()).toEqual({ exitCode: 0, err: "" });
    expect(statSync(executable).ino).toBe(first);
  });

  test("builds again when the source has changed, and removes what an interrupted build has left", async () => {
    const child = Bun.spawn([process.execPath, "--version"], { stdout: "ignore" });
    await child.exited;
    const [abandoned, ours] = [child.pid, process.pid].map((pid) => join(checkout, `build/draft-${pid}`));
    for (const draft of [abandoned, ours]) mkdirSync(draft as string);
    writeFileSync(main, program.replaceAll("animal-store", "ANIMAL-store"));
    expect(await build()).toEqual({ exitCode: 0, err: expect.stringContaining("Building") });
    expect((await run([], { cwd: checkout, program: [executable] })).out).toContain("ANIMAL");
    expect([existsSync(abandoned as string), existsSync(ours as string)]).toEqual([false, true]);
  });

  test("says what is wrong, and leaves what was there", async () => {
    const before = statSync(executable).ino;
    writeFileSync(main, `${program}\nthis is not TypeScript`);
    const { exitCode, err } = await build();
    expect(exitCode).toBe(1);
    expect(err).toContain("cannot build the program");
    expect(err).toContain("npx animal-store serve");
    expect(statSync(executable).ino).toBe(before);
    writeFileSync(main, program);
  });

  test("says so when it cannot write", async () => {
    rmSync(join(checkout, "build"), { recursive: true });
    writeFileSync(join(checkout, "build"), "a file where the folder belongs");
    const { exitCode, err } = await build();
    expect(exitCode).toBe(1);
    expect(err).toContain("cannot build the program");
  });
});
