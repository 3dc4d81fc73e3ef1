import { describe, expect, test } from "bun:test";
import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setUp } from "../../test/harness/cleanup.ts";
import { temporaryFolder } from "../../test/harness/folder.ts";
import { startService } from "../../test/harness/service/service.ts";
import { AnimalStore, AnimalStoreError, type AnimalStoreOptions, type Pet } from "../src/index.ts";
import { parseExactly } from "../src/wire/exact-json.ts";
import { int64 } from "../src/wire/int64.ts";
import { Clock } from "../testing/clock.ts";
import faults from "../vectors/faults.json";
import integers from "../vectors/int64.json";
import pacing from "../vectors/pacing.json";
import pages from "../vectors/pages.json";
import retries from "../vectors/retries.json";
import { succeed } from "./harness/pack.ts";

// The rules of the client as data, for clients in other languages: our own keeps to them, and so does the one in Python
// that docs/python.md shows.

type Answer =
  | { readonly failure: string }
  | { readonly status: number; readonly headers: object; readonly body: string };

interface Call {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  readonly idempotencyKey?: string;
}

/** A client whose requests get these answers, in time that passes by itself. */
function scripted(answers: readonly Answer[], options: AnimalStoreOptions) {
  const clock = new Clock(0);
  const left = [...answers];
  const sent: { readonly url: string; readonly atMs: number; readonly key: string | null }[] = [];
  const exchange = async (url: string, init: RequestInit): Promise<Response> => {
    sent.push({ url, atMs: clock.now(), key: new Headers(init.headers).get("idempotency-key") });
    const answer = left.shift();
    if (!answer) throw new Error("nothing more was to be sent");
    if ("failure" in answer) throw new TypeError("fetch failed");
    const { status, headers, body } = answer;
    return new Response(body || null, { status, headers: headers as Record<string, string> });
  };
  const store = new AnimalStore({
    ...{ baseUrl: pages.baseUrl, apiKey: "ask_test", clock, ...options },
    fetch: (url, init) => clock.during(init.signal as AbortSignal, exchange(url, init)),
  });
  return { store, sent, left };
}

const call = (store: AnimalStore, { method, path, body, idempotencyKey }: Call): PromiseLike<unknown> => {
  if (method === "GET") return store.pets.list();
  if (method === "DELETE") return store.pets.delete(path.replace("/pets/", ""), { idempotencyKey });
  return store.pets.create(body as { name: string; categoryId: number }, { idempotencyKey });
};

async function outcomeOf(work: PromiseLike<unknown>) {
  try {
    await work;
    return { kind: "done" };
  } catch (error) {
    if (!(error instanceof AnimalStoreError)) throw error;
    const { code, status = null, retryAfterMs } = error;
    return { kind: "failed", code, status, retryAfterMs };
  }
}

/** Checks that requests were sent neither too early nor too late. */
function expectTimes(sent: readonly { readonly atMs: number }[], ranges: readonly (readonly number[])[]): void {
  expect(sent.length).toBe(ranges.length);
  for (const [i, { atMs }] of sent.entries()) {
    const [least = 0, most = 0] = ranges[i] ?? [];
    expect(atMs).toBeWithin(least, most + 1);
  }
}

/** Every request of a write has the same key: the caller's, if it has given one. */
function expectKeys({ method, idempotencyKey }: Call, sent: readonly { readonly key: string | null }[]): void {
  const given = idempotencyKey ?? expect.stringMatching(/^\S{16,}$/);
  expect([...new Set(sent.map(({ key }) => key))]).toEqual([method === "GET" ? null : given]);
}

function expectRequests(sent: readonly { readonly url: string }[], paths: readonly string[]): void {
  const parts = (url: string) => url.split(/[?&]/).sort();
  expect(sent.map(({ url }) => parts(url))).toEqual(paths.map((path) => parts(pages.baseUrl + path)));
}

const one = <V extends { readonly name: string }>(vectors: readonly V[], check: (vector: V) => Promise<void>): void => {
  for (const vector of vectors) test(vector.name, () => check(vector));
};

describe("retries", () =>
  one(retries.vectors, async ({ call: asked, options, answers, expected }) => {
    const { store, sent, left } = scripted(answers as Answer[], options);
    expect(await outcomeOf(call(store, asked))).toMatchObject(expected.outcome);
    expectTimes(sent, expected.sentAtMs);
    expect(left).toEqual([]);
    expectKeys(asked, sent);
  }));

describe("faults", () =>
  one(faults.vectors, async ({ call: asked, answer, expected }) => {
    const { store } = scripted([answer as unknown as Answer], { retries: 0 });
    expect(await outcomeOf(call(store, asked))).toMatchObject(expected);
  }));

describe("pages", () =>
  one(pages.vectors, async ({ query, answers, expected }) => {
    const { store, sent } = scripted(answers as unknown as Answer[], {});
    const ids: string[] = [];
    const work = async () => {
      for await (const { id } of store.pets.list(query as object) as AsyncIterable<Pet>) ids.push(id);
    };
    expect(await outcomeOf(work())).toMatchObject(expected.outcome);
    expect(ids).toEqual(expected.ids);
    expectRequests(sent, expected.requests);
  }));

describe("int64", () => {
  test("integers that are accepted are sent with their digits", () => {
    for (const [given, digits] of integers.accepted) expect(int64(given, "id")).toBe(String(digits));
  });

  test("what is no integer of 64 bits is refused", () => {
    for (const given of integers.refused) expect(() => int64(given, "id"), JSON.stringify(given)).toThrow(TypeError);
  });

  test("ids are read with all their digits", () => {
    for (const [json, value] of integers.read) expect(parseExactly(String(json))).toEqual(value);
  });
});

describe("pacing", () =>
  one(pacing.vectors, async ({ options, calls }) => {
    const { store, sent } = scripted(calls.flatMap(({ answers }) => answers) as unknown as Answer[], options);
    for (const { expected } of calls) {
      const before = sent.length;
      expect(await outcomeOf(store.pets.list())).toMatchObject(expected.outcome);
      expectTimes(sent.slice(before), expected.sentAtMs);
    }
  }));

describe.skipIf(!Bun.which("python3"))("the client of docs/python.md", () => {
  interface Ended {
    readonly name: string;
    readonly sent: readonly { readonly url: string; readonly atMs: number; readonly key: string | null }[];
    readonly ids: readonly string[];
    readonly outcome: object;
    readonly left: number;
  }
  const HERE = import.meta.dir;
  let folder: string;
  let blocks: RegExpMatchArray[];
  let ended: Readonly<Record<"retries" | "faults" | "pages", Ended[]>>;
  setUp(async () => {
    folder = temporaryFolder();
    const text = await Bun.file(join(HERE, "../../docs/python.md")).text();
    blocks = [...text.matchAll(/^```(?:python|text)\n(.*?)^```$/gms)];
    writeFileSync(join(folder, "animal_store.py"), String(blocks[0]?.[1]));
    writeFileSync(join(folder, "tutorial.py"), String(blocks[1]?.[1]));
    cpSync(join(HERE, "harness/vectors.py"), join(folder, "vectors.py"));
    const files = ["retries", "faults", "pages"].map((name) => join(HERE, `../vectors/${name}.json`));
    ended = JSON.parse(await succeed(["python3", "vectors.py", ...files], folder));
  });

  test("passes all vectors of retries", () => {
    for (const [i, { name, call: asked, expected }] of retries.vectors.entries()) {
      const { sent, outcome, left } = ended.retries[i] as Ended;
      expect({ name, outcome }).toMatchObject({ name, outcome: expected.outcome });
      expectTimes(sent, expected.sentAtMs);
      expectKeys(asked, sent);
      expect(left).toBe(0);
    }
  });

  test("passes all vectors of faults and of pages", () => {
    for (const [i, { name, expected: outcome }] of faults.vectors.entries())
      expect(ended.faults[i]).toMatchObject({ name, outcome });
    for (const [i, { name, expected }] of pages.vectors.entries()) {
      const { sent, ids, outcome } = ended.pages[i] as Ended;
      expect({ name, ids, outcome }).toMatchObject({ name, ids: expected.ids, outcome: expected.outcome });
      expectRequests(sent, expected.requests);
    }
  });

  test("works with the service as the page says", async () => {
    const service = await startService();
    const env = { ANIMAL_STORE_URL: `${service.origin}/v1`, ANIMAL_STORE_KEY: service.boundless };
    expect(await succeed(["python3", "tutorial.py"], folder, env)).toBe(String(blocks[2]?.[1]));
  });
});
