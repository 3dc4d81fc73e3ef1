import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { atEnd, setUp } from "../../test/harness/cleanup.ts";
import { run } from "../../test/harness/program/program.ts";
import { startService, type TestService } from "../../test/harness/service/service.ts";
import { FakeClock } from "../../test/harness/time/clock.ts";
import { AnimalStore } from "../src/index.ts";
import { DENO } from "./harness/deno.ts";
import { startForwardProxy } from "./harness/forward-proxy.ts";
import { complaints, NODE, newConsumer } from "./harness/typescript.ts";

const EXAMPLES = join(import.meta.dir, "../examples");
const LINES_MAX = 60;

const clock = new FakeClock();
let service: TestService;
let store: AnimalStore;
let folder: string;

setUp(async () => {
  service = await startService({ clock });
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
  for (const name of new Bun.Glob("*").scanSync({ cwd: EXAMPLES }))
    expect((await Bun.file(join(EXAMPLES, name)).text()).split("\n").length).toBeLessThanOrEqual(LINES_MAX);
});

const env = () => ({ ANIMAL_STORE_URL: `${service.origin}/v1`, ANIMAL_STORE_KEY: service.boundless });

/** Node 20 does not strip types; the others run the source as it is. */
const COMMANDS = {
  Node: [["node"], "js"],
  Bun: [[process.execPath], "ts"],
  Deno: [[DENO, "run", "--allow-all"], "ts"],
} as const;

/** Runs an example on a runtime, as users do. The last argument may be variables of the environment. */
function example(runtime: keyof typeof COMMANDS, name: string, ...args: (string | Record<string, string>)[]) {
  const [program, extension] = COMMANDS[runtime];
  const texts = args.filter((arg) => typeof arg === "string");
  const own = args.find((arg) => typeof arg === "object");
  return run([`${name}.${extension}`, ...texts], { cwd: folder, env: { ...env(), ...own }, program });
}

test("sync adds 5,000 animals of a file, and when run again, what is new and what differs, and nothing else", async () => {
  const file = join(folder, "animals.csv");
  const lines = Array.from({ length: 5_000 }, (_, i) => `A-${i},Pet ${i},${i % 50}${i % 10 ? "" : ",sold"}`);
  writeFileSync(file, lines.join("\n"));
  // By Bun, whose fetch costs least.
  const first = await example("Bun", "sync", "animals.csv");
  expect(first).toEqual({ exitCode: 0, err: "", out: "5000 added, 0 changed, 0 unchanged, 0 wrong\n" });
  const all = await store.pets.list().toArray();
  expect(new Set(all.map(({ name }) => name)).size).toBe(5_000);
  expect(all.filter(({ status }) => status === "sold")).toHaveLength(500);

  // This is the state after a crash before the last hundred ids were noted: the same keys get the same answers.
  const noted = readFileSync(`${file}.ids`, "utf8").split("\n");
  writeFileSync(`${file}.ids`, `${noted.slice(0, 4_900).join("\n")}\n`);
  const kept = noted[0]?.split(",")[0]?.slice(2);
  lines[Number(kept)] = `A-${kept},Renamed,9223372036854775807`;
  lines.push("A-new, New ,3,pending", "", "A-x,Rex", "A-y", "A-z,Rex,7,gone");
  writeFileSync(file, `${lines.join("\r\n")}\r\n`);
  const second = await example("Node", "sync", "animals.csv");
  expect(second.out).toBe("101 added, 1 changed, 4899 unchanged, 3 wrong\n");
  expect([second.exitCode, second.err.trimEnd().split("\n").sort()]).toEqual([
    1,
    [
      expect.stringMatching(/^animals.csv:5003: categoryId is ""/),
      expect.stringMatching(/^animals.csv:5004: expected an id of your own/),
      expect.stringMatching(/^animals.csv:5005: "status" must be one of/),
    ],
  ]);
  expect(await store.pets.list().toArray()).toHaveLength(5_001);
  expect((await store.pets.list({ name: "Renamed" })).items).toMatchObject([{ categoryId: "9223372036854775807" }]);

  const third = await example("Deno", "sync", "animals.csv");
  expect(third.out).toBe("0 added, 0 changed, 5001 unchanged, 3 wrong\n");
  expect((await example("Node", "sync")).exitCode).toBe(2);
});

test("report counts the animals of all pages by category and status, on every runtime alike", async () => {
  await store.categories.put(3, { name: "Cats" });
  const pets = await store.pets.list().toArray();
  const reports = await Promise.all((["Node", "Bun", "Deno"] as const).map((runtime) => example(runtime, "report")));
  const rows = (reports[0]?.out ?? "")
    .trimEnd()
    .split("\n")
    .map((line) => line.split("\t"));
  expect(rows[0]).toEqual(["category", "name", "available", "pending", "sold"]);
  const ids = rows.slice(1).map(([id = ""]) => BigInt(id));
  expect(ids).toEqual([...new Set(pets.map(({ categoryId }) => BigInt(categoryId)))].sort((a, b) => (a < b ? -1 : 1)));
  for (const [id, name, ...counts] of rows.slice(1)) {
    const statuses = pets.filter(({ categoryId }) => categoryId === id).map(({ status }) => status);
    const count = (status: string): string => String(statuses.filter((one) => one === status).length);
    expect([id, name, ...counts]).toEqual([
      ...[id, id === "3" ? "Cats" : "", count("available"), count("pending"), count("sold")],
    ]);
  }
  for (const report of reports) expect(report).toEqual({ exitCode: 0, err: "", out: reports[0]?.out ?? "" });
});

test("approve shares the work between four processes with one key, which stop at its quota and go on later", async () => {
  const animals = (await store.pets.list({ status: "available" }).toArray({ max: 40 })).map(({ id }) => id);
  const placed = await Promise.all(animals.map((petId) => store.orders.place({ petId })));
  const { secret } = await service.issueKey({ plan: "enterprise", quotas: { perMinute: 30, perDay: 1_000 } });
  const own = { ANIMAL_STORE_KEY: secret, MAX_WAIT_MS: "0" };
  let approved = 0;
  const codes: number[] = [];
  for (let minute = 0; minute < 4; minute++) {
    const processes = (["Node", "Bun", "Deno", "Node"] as const).map((runtime, share) =>
      example(runtime, "approve", String(share), "4", own),
    );
    for (const { exitCode, out, err } of await Promise.all(processes)) {
      expect(err).toMatch(exitCode === 0 ? /^$/ : /^The quota is used up. Run it again in \d+ s\.\n$/);
      codes.push(exitCode);
      approved += Number(/^(\d+) approved\n$/.exec(out)?.[1]);
    }
    clock.advance(60_000);
  }
  expect(approved).toBe(40);
  expect([new Set(codes), codes.slice(-4)]).toEqual([new Set([0, 75]), [0, 0, 0, 0]]);
  expect(await store.orders.list({ status: "placed" }).toArray()).toEqual([]);
  await Promise.all(placed.map(({ id }) => store.orders.cancel(id)));
});

test("sell sells each animal once, however many sell at once, and the same reference once", async () => {
  const pets = await Promise.all(["Rex", "Tom"].map((name) => store.pets.create({ name, categoryId: 70 })));
  const sales = await Promise.all(
    (
      [
        ["Node", "A"],
        ["Bun", "B"],
        ["Deno", "C"],
      ] as const
    ).map(([runtime, reference]) => example(runtime, "sell", "70", reference)),
  );
  expect(sales.map(({ exitCode }) => exitCode).toSorted()).toEqual([0, 0, 1]);
  expect(sales.find(({ exitCode }) => exitCode === 1)?.err).toBe("No animal of category 70 is available.\n");
  const ids = pets.map(({ id }) => id);
  const ordersOfThem = async () => (await store.orders.list().toArray()).filter(({ petId }) => ids.includes(petId));
  const orders = await ordersOfThem();
  expect(orders.map(({ petId }) => petId).toSorted()).toEqual(ids);
  expect(orders.map(({ status }) => status)).toEqual(["approved", "approved"]);
  const [order] = orders;
  const again = await example("Node", "sell", "70", String(order?.reference));
  expect(again.out).toBe(`Order ${order?.id}: animal ${order?.petId} is sold as ${order?.reference}.\n`);
  expect(await ordersOfThem()).toHaveLength(2);
  expect((await example("Node", "sell", "70")).exitCode).toBe(2);
  // The same animal and reference after a cancellation is a new sale.
  await store.orders.cancel(String(order?.id));
  const anew = await example("Node", "sell", "70", String(order?.reference));
  expect(anew.out).toEndWith(`: animal ${order?.petId} is sold as ${order?.reference}.\n`);
  expect((await ordersOfThem()).filter(({ status }) => status === "approved")).toHaveLength(2);
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

test("proxy reaches the service through a forward proxy, and nowhere else; without a password it says why not", async () => {
  const proxy = await startForwardProxy("desk", "s3cret");
  const through = (url: string) => example("Node", "proxy", { HTTPS_PROXY: url });
  const { host } = new URL(proxy.url);
  expect(await through(proxy.url)).toEqual({ exitCode: 0, err: "", out: `test (enterprise), through ${host}\n` });
  expect(proxy.asked).toEqual([`CONNECT ${new URL(service.origin).host} HTTP/1.1`]);
  const refused = await through(`http://${host}`);
  expect([refused.exitCode, refused.out]).toEqual([1, ""]);
  expect(refused.err).toContain("407");
  expect((await example("Node", "proxy", { HTTPS_PROXY: "" })).exitCode).toBe(2);
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
