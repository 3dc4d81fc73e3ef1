import { expect, test } from "bun:test";
import { temporaryFolder } from "../../test/harness/folder.ts";
import { PACKED } from "./harness/package.ts";

/** The ways to use a failing call, and the number of unhandled rejections that each leaves. */
const WAYS: Record<string, [code: string, unhandled: number]> = {
  awaited: ["await call().catch(() => {})", 0],
  "awaited in try": ["try { await call(); } catch {}", 0],
  "only withResponse": ["await call().withResponse().catch(() => {})", 0],
  "awaited and withResponse": [
    "const one = call(); await one.catch(() => {}); await one.withResponse().catch(() => {})",
    0,
  ],
  "withResponse twice": ["const one = call(); await Promise.allSettled([one.withResponse(), one.withResponse()])", 0],
  finally: ["await call().finally(() => {}).catch(() => {})", 0],
  "among others": ["await Promise.allSettled([call(), call()])", 0],
  "nobody looks": ["call()", 1],
  "nobody looks at withResponse": ["call().withResponse()", 1],
};

/** The ways that only lists have. */
const LISTS: typeof WAYS = {
  "only iterated over": ["try { for await (const one of call()); } catch {}", 0],
  "iterated over twice": [
    "const one = call(); for (const _ of [1, 2]) try { for await (const pet of one); } catch {}",
    0,
  ],
  "an iterator that nobody starts": ["call()[Symbol.asyncIterator]()", 0],
  "kept, and iterated over later": [
    "const one = call(); await new Promise((done) => setTimeout(done)); try { for await (const pet of one); } catch {}",
    0,
  ],
  // Nothing is sent, so nothing fails.
  "nobody looks": ["call()", 0],
};

const CALLS: Record<string, [call: string, ways: typeof WAYS]> = {
  "a read": ["store.orders.get(1)", WAYS],
  "a write": ["store.pets.create({ name: 'Rex', categoryId: 1 })", WAYS],
  "a find": ["store.pets.find(1)", WAYS],
  "a wrong argument": ["store.pets.update('x', {})", WAYS],
  "a list": ["store.pets.list()", { ...WAYS, ...LISTS }],
  "a list of what cannot be": ["store.pets.list({ id: [] })", { ...WAYS, ...LISTS }],
};

const script = `
  import { AnimalStore } from ${JSON.stringify(`${PACKED.folder}/dist/index.js`)};
  let unhandled = 0;
  process.on("unhandledRejection", () => unhandled++);
  const store = new AnimalStore({
    baseUrl: "http://store.invalid/v1",
    apiKey: "pk_test",
    retries: 0,
    pacing: false,
    fetch: async () => { throw new Error("unplugged"); },
  });
  const counted = {};
  const count = async (about, way) => {
    unhandled = 0;
    await way();
    // Node reports unhandled rejections after the current turn.
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setTimeout(resolve));
    counted[about] = unhandled;
  };
  ${Object.entries(CALLS)
    .flatMap(([about, [call, ways]]) =>
      Object.entries(ways).map(
        ([way, [code]]) =>
          `await count(${JSON.stringify(`${about}, ${way}`)}, async () => { const call = () => ${call}; ${code}; });`,
      ),
    )
    .join("\n  ")}
  console.log(JSON.stringify(counted));`;

test("a call that fails is a rejection that somebody gets, or exactly one that nobody does", async () => {
  const path = `${temporaryFolder()}/script.mjs`;
  await Bun.write(path, script);
  const child = Bun.spawn(["node", path], { stdin: "ignore", stdout: "pipe", stderr: "inherit" });
  const expected = Object.entries(CALLS).flatMap(([about, [, ways]]) =>
    Object.entries(ways).map(([way, [, unhandled]]) => [`${about}, ${way}`, unhandled]),
  );
  expect(JSON.parse(await child.stdout.text())).toEqual(Object.fromEntries(expected));
});
