import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { atEnd, setUp } from "../../test/harness/cleanup.ts";
import { type Outcome, run } from "../../test/harness/program/program.ts";
import { startService, type TestService } from "../../test/harness/service/service.ts";
import { AnimalStore } from "../src/index.ts";
import { complaints, NODE, newConsumer } from "./harness/typescript.ts";

const EXAMPLES = join(import.meta.dir, "../examples");
const LINES_MAX = 50;

let service: TestService;
let store: AnimalStore;
let folder: string;

setUp(async () => {
  service = await startService();
  store = new AnimalStore({ baseUrl: `${service.origin}/v1`, apiKey: service.boundless });
  const strip = new Bun.Transpiler({ loader: "ts" });
  const files: Record<string, string> = {};
  for (const name of new Bun.Glob("*.ts").scanSync({ cwd: EXAMPLES })) {
    const source = await Bun.file(join(EXAMPLES, name)).text();
    files[name] = source;
    files[name.replace(".ts", ".js")] = strip.transformSync(source);
  }
  folder = newConsumer(files);
});

test("examples are short, and have no mistake that a compiler finds", async () => {
  expect(await complaints("TypeScript 7", folder, NODE)).toBe("");
  for (const name of new Bun.Glob("*.ts").scanSync({ cwd: EXAMPLES }))
    expect((await Bun.file(join(EXAMPLES, name)).text()).split("\n").length).toBeLessThanOrEqual(LINES_MAX);
});

const env = () => ({ ANIMAL_STORE_URL: `${service.origin}/v1`, ANIMAL_STORE_KEY: service.boundless });

/** Runs an example on Node, as users do. */
const example = (name: string, ...args: string[]): Promise<Outcome> =>
  run([`${name}.js`, ...args], { cwd: folder, env: env(), program: ["node"] });

test("sync-categories names what differs, goes on after a bad line, and does nothing when run again", async () => {
  await store.categories.put(3, { name: "Cats" });
  await store.categories.put(9223372036854775807n, { name: "Fish" });
  const lines = [
    "7,Dogs",
    "",
    "3, Kittens ",
    "8,DOGS",
    "x,Birds",
    "99999999999999999999,Mice",
    "9223372036854775807,Fish",
  ];
  writeFileSync(join(folder, "categories.csv"), `${lines.join("\r\n")}\r\n`);
  const first = await example("sync-categories", "categories.csv");
  expect(first.out).toBe("7 is now Dogs\n3 was Cats, and is now Kittens\n");
  expect(first.err.trimEnd().split("\n")).toEqual([
    expect.stringMatching(/^categories.csv:4: Category 7 has this name already/),
    "categories.csv:5: expected a number, a comma and a name",
    expect.stringMatching(/^categories.csv:6: categoryId is "99999999999999999999"/),
  ]);
  expect(first.exitCode).toBe(1);
  writeFileSync(join(folder, "categories.csv"), "7,Dogs\n3,Kittens\n");
  expect(await example("sync-categories", "categories.csv")).toEqual({ exitCode: 0, out: "", err: "" });
  expect((await example("sync-categories")).exitCode).toBe(2);
});

test("sell sells each animal once, however many sell at once, and the same reference once", async () => {
  const pets = await Promise.all(["Rex", "Tom"].map((name) => store.pets.create({ name, categoryId: 70 })));
  const sales = await Promise.all(["A", "B", "C"].map((reference) => example("sell", "70", reference)));
  expect(sales.map(({ exitCode }) => exitCode).toSorted()).toEqual([0, 0, 1]);
  expect(sales.find(({ exitCode }) => exitCode === 1)?.err).toBe("No animal of category 70 is available.\n");
  const orders = (await store.orders.list()).items;
  expect(orders.map(({ petId }) => petId).toSorted()).toEqual(pets.map(({ id }) => id));
  expect(orders.map(({ status }) => status)).toEqual(["approved", "approved"]);
  const [order] = orders;
  const again = await example("sell", "70", String(order?.reference));
  expect(again.out).toBe(`Order ${order?.id}: animal ${order?.petId} is sold as ${order?.reference}.\n`);
  expect((await store.orders.list()).items).toHaveLength(2);
  expect((await example("sell", "70")).exitCode).toBe(2);
  // The same animal and reference after a cancellation is a new sale.
  await store.orders.cancel(String(order?.id));
  const anew = await example("sell", "70", String(order?.reference));
  expect(anew.out).toEndWith(`: animal ${order?.petId} is sold as ${order?.reference}.\n`);
  expect((await store.orders.list({ status: "approved" })).items).toHaveLength(2);
});

test("sell takes the next animal when somebody else is faster", async () => {
  const [first, second] = [
    await store.pets.create({ name: "Kim", categoryId: 71 }),
    await store.pets.create({ name: "Lou", categoryId: 71 }),
  ];
  /** Forwards requests, but places a competing order for the same animal before the first one. */
  let isFirst = true;
  const rival = Bun.serve({
    port: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      if (request.method === "POST" && isFirst) {
        isFirst = false;
        await store.orders.place({ petId: first.id });
      }
      const { method, headers } = request;
      return fetch(service.origin + pathname + search, { method, headers, body: await request.text() });
    },
  });
  atEnd(() => rival.stop(true));
  const { out } = await run(["sell.js", "71", "D"], {
    cwd: folder,
    program: ["node"],
    env: { ...env(), ANIMAL_STORE_URL: new URL("/v1", rival.url).href },
  });
  expect(out).toContain(`animal ${second.id} is sold as D.`);
});

test("watch prints what is added, sold, renamed and removed", async () => {
  const child = Bun.spawn(["node", "watch.js", "0.02"], {
    ...{ cwd: folder, env: { PATH: process.env.PATH ?? "", ...env() }, stdout: "pipe", stderr: "inherit" },
  });
  atEnd(() => child.kill("SIGKILL"));
  const reader = child.stdout.getReader();
  let out = "";
  /** Waits until the example has printed this text. */
  const printed = async (text: string): Promise<void> => {
    while (!out.includes(text)) {
      const { value, done } = await reader.read();
      if (done) throw new Error(`it ended, and printed ${out}`);
      out += new TextDecoder().decode(value);
    }
  };
  await printed("Watching ");
  const mia = await store.pets.create({ name: "Mia", categoryId: 3 });
  await printed(`+ ${mia.id} Mia, available\n`);
  await store.pets.update(mia.id, { status: "sold" });
  await printed(`  ${mia.id} Mia was available, and is sold\n`);
  await store.pets.update(mia.id, { name: "Mio" });
  await printed(`  ${mia.id} Mia is now called Mio\n`);
  await store.pets.delete(mia.id);
  await printed(`- ${mia.id} Mio\n`);
  child.kill("SIGINT");
  expect(await child.exited).toBe(0);
});
