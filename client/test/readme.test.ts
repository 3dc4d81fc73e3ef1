import { describe, expect, test } from "bun:test";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { SETTINGS } from "../../src/config.ts";
import { FAULT_CODES } from "../../src/http/faults/fault.ts";
import { atEnd } from "../../test/harness/cleanup.ts";
import { temporaryFolder } from "../../test/harness/folder.ts";
import { EXECUTABLE, run, serve } from "../../test/harness/program/program.ts";
import { startService } from "../../test/harness/service/service.ts";
import { AnimalStore, type ClientErrorCode } from "../src/index.ts";
import { complaints, NODE, newConsumer } from "./harness/typescript.ts";

const read = (path: string): Promise<string> => Bun.file(new URL(`../${path}`, import.meta.url)).text();
const readme = await read("README.md");
const rootReadme = await read("../README.md");
const DEFAULT_ORIGIN = "http://127.0.0.1:8080";

interface Block {
  readonly language: string;
  readonly code: string;
}

const blocksIn = (text: string): Block[] =>
  [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language = "", code = ""]) => ({ language, code }));

/** The expected output in a program's comments: everything after an arrow. An ellipsis matches anything. */
const promisedBy = (code: string): string[] => [...code.matchAll(/\/\/ → (.*)$/gm)].map(([, line = ""]) => line);

const isLike = (promised: string, text: string): boolean =>
  new RegExp(`^${promised.split("…").map(RegExp.escape).join(".*")}$`, "s").test(text);

/** The rows of the table with this header, as cells. */
function tableAfter(header: string): string[][] {
  const lines = readme.slice(readme.indexOf(`\n| ${header} |`) + 1).split("\n\n", 1)[0] as string;
  const rows = lines.split("\n").slice(2);
  return rows.map((row) => row.slice(2, -2).split(" | "));
}

/** Follows a README like a user: starts the service, runs the shell commands, and runs the code as one Node program. */
async function follow(text: string): Promise<void> {
  const home = temporaryFolder();
  const bin = join(home, "node_modules/.bin");
  mkdirSync(bin, { recursive: true });
  symlinkSync(EXECUTABLE, join(bin, "animal-store"));
  const { origin } = await serve({ cwd: home });
  const blocks = blocksIn(text.replaceAll(DEFAULT_ORIGIN, origin));
  const programs = blocks.filter(({ language }) => language === "js" || language === "ts");
  const commands = blocks.filter(({ language, code }) => language === "sh" && !/\bnpm /.test(code));
  const whole = programs.map(({ code }) => code).join("");
  // Node 20 does not strip types; blocks of JavaScript are run unchanged.
  const strip = new Bun.Transpiler({ loader: "ts" });
  const runnable = programs.map(({ language, code }) => (language === "ts" ? strip.transformSync(code) : code));
  const folder = newConsumer({ "tutorial.ts": whole, "tutorial.js": runnable.join("\n") });
  expect(await complaints("TypeScript 7", folder, NODE)).toBe("");
  const shell = ["exec 3>&1 1>&2", ...commands.map(({ code }) => code), `exec node ${folder}/tutorial.js >&3`].join(
    "\n",
  );
  const { exitCode, out, err } = await run(["-e", "-c", shell], { cwd: home, program: ["bash"] });
  const printed = out.trimEnd().split("\n");
  const promised = promisedBy(whole);
  expect(promised.map((line, i) => (isLike(line, printed[i] ?? "") ? printed[i] : line))).toEqual(printed);
  expect([exitCode, err]).toEqual([0, err]);
}

describe("the tutorial", () => {
  test(
    "can be followed: its commands and its program, block by block, print what it says",
    () => follow(readme),
    180_000,
  );

  test("links only to sections that there are", () => {
    const sections = [...readme.matchAll(/^## (.*)$/gm)].map(([, title = ""]) =>
      title.toLowerCase().replaceAll(" ", "-"),
    );
    for (const [, anchor] of readme.matchAll(/\]\(#([^)]*)\)/g)) expect(sections).toContain(anchor as string);
  });

  test("starts the service as the project's README does, and with settings that there are", () => {
    expect(blocksIn(rootReadme)[0]).toEqual(blocksIn(readme)[0] as Block);
    const settings = [...readme.matchAll(/^([A-Z_]+)=\S+ npm start$/gm)].map(([, name]) => name);
    expect(settings).toEqual(["CORS_ORIGINS"]);
    expect(Object.keys(SETTINGS)).toContain("CORS_ORIGINS");
  });
});

/** The options of an interface as rows of name and doc comment. */
function optionsOf(source: string, interfaceName: string): string[][] {
  const body = new RegExp(`^export interface ${interfaceName}\\b[^{]*\\{\\n(.*?)^\\}`, "ms").exec(source)?.[1] ?? "";
  return [...body.matchAll(/\/\*\*\s+(.*?)\s+\*\/\s+readonly (\w+)\??:/gs)]
    .filter(([, comment]) => comment !== "@internal")
    .map(([, comment = "", name]) => [`\`${name}\``, comment.replaceAll(/\s+\* /g, " ")]);
}

test("the project's README shows what it does in ten lines, which run", async () => {
  const section = /^## From JavaScript.*?(?=^## )/ms.exec(rootReadme)?.[0] ?? "";
  const [program = { code: "" }] = blocksIn(section).filter(({ language }) => language === "js");
  expect(program.code.trimEnd().split("\n")).toHaveLength(10);
  await follow(section);
}, 180_000);

describe("the tables", () => {
  test("have every option, in the words of its doc comment", async () => {
    const source = await read("src/options.ts");
    const rows = (...names: string[]): string[][] => names.flatMap((name) => optionsOf(source, name));
    expect(rows("AnimalStoreOptions").length).toBeGreaterThan(10);
    expect(tableAfter("`new AnimalStore({ … })`")).toEqual(rows("AnimalStoreOptions"));
    const kit = await read("src/testing.ts");
    expect(tableAfter("`createTestStore({ … })`")).toEqual([
      ...optionsOf(kit, "TestKeyOptions"),
      ...optionsOf(kit, "TestStoreOptions"),
    ]);
    expect(tableAfter("any call")).toEqual(rows("CallOptions"));
    expect(tableAfter("`pets.createMany`, and all of the above")).toEqual(
      optionsOf(await read("src/resources/bulk.ts"), "BulkOptions"),
    );
    expect(tableAfter("a read")).toEqual(rows("ConditionalReadOptions"));
    expect(tableAfter("a write")).toEqual(rows("WriteOptions", "ConditionalWriteOptions", "PutOptions"));
  });

  test("say of every error code what to do, once", () => {
    const codesOfClient: Record<ClientErrorCode, true> = {
      ...{ timeout: true, aborted: true, deadline_exceeded: true },
      ...{ connection_failed: true, wait_too_long: true, unexpected_response: true },
    };
    const shown = tableAfter("code").flatMap(([codes = ""]) => [...codes.matchAll(/`(\w+)`/g)].map(([, code]) => code));
    expect(shown.toSorted() as string[]).toEqual([...FAULT_CODES, ...Object.keys(codesOfClient)].toSorted());
  });

  test("quote messages that there are", async () => {
    const { origin, issueKey } = await startService();
    const elsewhere = Bun.serve({ port: 0, fetch: () => new Response("<h1>Nothing here</h1>", { status: 404 }) });
    const moved = Bun.serve({ port: 0, fetch: () => Response.redirect("https://animals.example/v1/key", 301) });
    atEnd(() => Promise.all([elsewhere.stop(true), moved.stop(true)]));
    const { secret: apiKey } = await issueKey({ plan: "enterprise", quotas: { perMinute: 1, perDay: 10 } });
    const at = (address: string | URL) =>
      new AnimalStore({ baseUrl: new URL("/v1", address).href, apiKey, retries: 0 });
    const answeredWith = (answer: (sentId: string) => Response) =>
      new AnimalStore({
        baseUrl: "http://127.0.0.1:9/v1",
        apiKey,
        retries: 0,
        fetch: async (_, { headers }) => answer(new Headers(headers).get("x-request-id") ?? ""),
      });
    const page = (status: number) => () => new Response("<h1>", { status, headers: { "Content-Type": "text/html" } });
    const rex = { name: "Rex", categoryId: 7 };
    const used = new AnimalStore({ baseUrl: `${origin}/v1`, apiKey, maxWaitMs: 1_000 });
    await used.key();
    const provoked: (() => unknown)[] = [
      () => new AnimalStore({ apiKey }),
      () => new AnimalStore({ baseUrl: origin, apiKey }),
      () => new AnimalStore({ baseUrl: `${origin}/v1` }),
      () => new AnimalStore({ baseUrl: `${origin}/v1`, apiKey: `"${apiKey} "` }),
      () => used.pets.list({ categoryId: 2 ** 53 }),
      () => at("http://127.0.0.1:9").key(),
      () => answeredWith((sentId) => Response.json({}, { headers: { "X-Request-Id": sentId.slice(0, -1) } })).key(),
      () => answeredWith(() => new Response(null, { status: 304 })).key(),
      () => answeredWith(page(200)).pets.create(rex),
      () => answeredWith(page(502)).pets.create(rex),
      () => at(elsewhere.url).key(),
      () => at(moved.url).key(),
      () => used.orders.place({ petId: "007" }),
      () => used.key(),
    ];
    const quoted = tableAfter("what you see").flatMap(([cell = ""]) => /^`(.*)`$/.exec(cell)?.[1] ?? []);
    const messages = await Promise.all(provoked.map(messageOf));
    expect(quoted.map((quote, i) => (isLike(quote, messages[i] ?? "") ? messages[i] : quote))).toEqual(messages);
  });
});

const messageOf = async (work: () => unknown): Promise<string> => {
  try {
    await work();
    return "nothing happened";
  } catch (error) {
    return (error as Error).message;
  }
};
