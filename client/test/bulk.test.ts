import { describe, expect, test } from "bun:test";
import { onEveryStore } from "../../test/harness/service/stores.ts";
import {
  AnimalStore,
  type AnimalStoreOptions,
  type BulkOptions,
  type BulkProgress,
  type NewPet,
  type RowOutcome,
} from "../src/index.ts";
import { SharedTime } from "./shared-time.ts";

const MINUTE_MS = 60_000;

interface Row {
  readonly sku: string;
  readonly name: string;
}

const rowsOf = (count: number): Row[] => Array.from({ length: count }, (_, i) => ({ sku: `A-${i}`, name: `pet ${i}` }));
const OF_ROW = {
  toPet: ({ name }: Row): NewPet => ({ name, categoryId: 7 }),
  idempotencyKey: ({ sku }: Row): string => `import-${sku}`,
};

onEveryStore(({ startService }) => {
  /** Starts a service and clients that share a clock. */
  async function start() {
    const time = new SharedTime();
    const service = await startService({ clock: time.clock });
    const client = (apiKey: string, options: AnimalStoreOptions = {}) =>
      new AnimalStore({ baseUrl: `${service.origin}/v1`, apiKey, clock: time, fetch: time.fetch, ...options });
    const namesIn = async () =>
      (await client(service.boundless).pets.list().toArray()).map(({ name }) => name).toSorted();
    return { time, service, client, namesIn };
  }

  const namesOf = (rows: readonly Row[]) => rows.map(({ name }) => name).toSorted();

  test("300 rows on the Free plan are all created, once, window after window, without a refusal", async () => {
    const { time, service, client, namesIn } = await start();
    const { secret } = await service.issueKey({ plan: "free" });
    const rows = rowsOf(300);
    const statuses = new Map<number, number>();
    const store = client(secret, {
      onResponse: ({ status }) => void statuses.set(status, (statuses.get(status) ?? 0) + 1),
    });
    const { created, failed } = await time.until(store.pets.createMany(rows, OF_ROW));
    expect(failed).toEqual([]);
    expect(created.map(({ index, row, pet }) => [index, row, pet.name])).toEqual(
      rows.map((row, index) => [index, row, row.name]),
    );
    expect(await namesIn()).toEqual(namesOf(rows));
    expect(statuses).toEqual(new Map([[201, 300]]));
    expect(time.now()).toBeLessThan(5 * MINUTE_MS);
    expect(time.sleeping).toBe(0);
  });

  test("a day's quota ends it with wait_too_long; from `next` on, it goes on the day after, and each row is there once", async () => {
    const { time, service, client, namesIn } = await start();
    const { secret } = await service.issueKey({ plan: "enterprise", quotas: { perMinute: 50, perDay: 120 } });
    const { pets } = client(secret);
    const rows = rowsOf(150);
    let next = 0;
    const onProgress = (progress: BulkProgress): void => {
      next = progress.next;
    };
    const error = await time.until(pets.createMany(rows, { ...OF_ROW, onProgress }).catch((error) => error));
    expect(error.code).toBe("wait_too_long");
    expect(await namesIn()).toHaveLength(120);
    expect(next).toBe(120);
    time.clock.advance(error.retryAfterMs);
    const { created } = await time.until(pets.createMany(rows.slice(next), OF_ROW));
    expect(created).toHaveLength(30);
    expect(await namesIn()).toEqual(namesOf(rows));
  });

  test("whatever answers are lost on the way, and however often it is run, each row is there once", async () => {
    const { time, service, client, namesIn } = await start();
    let sent = 0;
    const losing: AnimalStoreOptions["fetch"] = async (url, init) => {
      const response = await time.fetch(url, init);
      if (++sent < 150 && sent % 3 === 0) throw new TypeError("the connection broke");
      return response;
    };
    const rows = rowsOf(40);
    const { pets } = client(service.boundless, { fetch: losing, retries: 1 });
    const runs: (number | string)[] = [];
    while (typeof runs.at(-1) !== "number" && runs.length < 50) {
      const run = pets.createMany(rows, OF_ROW).then(
        ({ created }) => created.length,
        ({ code }) => code,
      );
      runs.push(await time.until(run));
    }
    expect([runs.at(-1), new Set(runs.slice(0, -1))]).toEqual([40, new Set(["connection_failed"])]);
    expect(await namesIn()).toEqual(namesOf(rows));
    const again = await time.until(client(service.boundless).pets.createMany(rows, OF_ROW));
    expect(again.created.every(({ isReplay }) => isReplay)).toBeTrue();
    expect(await namesIn()).toHaveLength(40);
  });

  test("a row that is refused fails by itself, with its reason, and the others are created", async () => {
    const { time, service, client, namesIn } = await start();
    const rows: readonly unknown[] = [
      { name: "Rex", categoryId: 7 },
      { name: "", categoryId: 7 },
      { name: "Mia", categoryId: 2 ** 53 },
      { name: "Tom", categoryId: 7, sku: "A-17" },
      undefined,
      "Kim",
      { name: "Moby", categoryId: 7n },
      { name: "x".repeat(20_000), categoryId: 7 },
      { name: "Ida", categoryId: 7 },
    ];
    const { pets } = client(service.boundless);
    const { created, failed } = await time.until(
      pets.createMany(rows as NewPet[], { idempotencyKey: (_, index) => (index === 8 ? "Zoë" : `row-${index}`) }),
    );
    expect(created.map(({ index, isReplay }) => [index, isReplay])).toEqual([
      [0, false],
      [6, false],
    ]);
    expect<unknown>(failed.map(({ index, row }) => [index, row])).toEqual(
      [1, 2, 3, 4, 5, 7, 8].map((i) => [i, rows[i]]),
    );
    expect(failed.map(({ error }) => (error as { code?: string }).code ?? error.name)).toEqual([
      "invalid_value",
      "TypeError",
      "unknown_field",
      "TypeError",
      "TypeError",
      "payload_too_large",
      "TypeError",
    ]);
    expect(await namesIn()).toEqual(["Moby", "Rex"]);
  });

  test("one key for two different rows refuses the second; for two that are the same, it is one animal", async () => {
    const { time, service, client, namesIn } = await start();
    const { pets } = client(service.boundless);
    const run = (...names: string[]) =>
      time.until(
        pets.createMany(
          names.map((name) => ({ name, categoryId: 7 })),
          { idempotencyKey: () => names.join("-"), concurrency: 1 },
        ),
      );
    const different = await run("Rex", "Mia");
    expect(different.failed).toMatchObject([{ index: 1, error: { code: "idempotency_mismatch" } }]);
    const same = await run("Tom", "Tom");
    expect(same.created.map(({ pet, isReplay }) => [pet.id, isReplay])).toEqual([
      ["2", false],
      ["2", true],
    ]);
    expect(await namesIn()).toEqual(["Rex", "Tom"]);
  });

  test("a key that may not write ends it at the first answer, as would any other row", async () => {
    const { time, service, client } = await start();
    const { secret } = await service.issueKey({ scopes: ["pets:read"] });
    let sent = 0;
    const store = client(secret, { onRequest: () => void sent++ });
    const error = await time.until(store.pets.createMany(rowsOf(500), OF_ROW).catch((error) => error));
    expect(error).toMatchObject({ code: "insufficient_scope", status: 403 });
    expect(sent).toBeLessThanOrEqual(8);
  });
});

/** A client whose requests stay underway until the test answers them. */
function withOpenRequests(options: AnimalStoreOptions = {}) {
  const open = new Map<string, (response: Response) => void>();
  let most = 0;
  const fetch: AnimalStoreOptions["fetch"] = (_, { body, signal }) =>
    new Promise((resolve, reject) => {
      const { name } = JSON.parse(String(body));
      open.set(name, resolve);
      most = Math.max(most, open.size);
      signal?.addEventListener("abort", () => {
        open.delete(name);
        reject(signal.reason);
      });
    });
  const { pets } = new AnimalStore({
    baseUrl: "http://127.0.0.1:1/v1",
    apiKey: "pk",
    fetch,
    pacing: false,
    ...options,
  });
  /** Waits until the request of a row is underway, and answers it. */
  const answer = async (name: string): Promise<void> => {
    await until(() => open.has(name));
    open.get(name)?.(Response.json({ id: 1, name }, { status: 201 }));
    open.delete(name);
  };
  return { pets, open, answer, most: () => most };
}

const until = async (isSo: () => boolean): Promise<void> => {
  while (!isSo()) await Bun.sleep(0);
};
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
};

describe("what is held in memory", () => {
  test("rows of a stream are read as there is room, and outcomes come in their order as soon as they are known", async () => {
    const { pets, open, answer, most } = withOpenRequests();
    let read = 0;
    async function* rows(): AsyncGenerator<NewPet> {
      for (; read < 20; ) yield { name: `${read++}`, categoryId: 7 };
      // The twenty-first row never comes.
      await new Promise(() => {});
    }
    const progress: BulkProgress[] = [];
    const seen: number[] = [];
    const options: BulkOptions<NewPet> = { concurrency: 3, onProgress: (event) => void progress.push(event) };
    const work = (async () => {
      for await (const { index } of pets.createMany(rows(), options)) seen.push(index);
    })();
    await answer("2");
    await answer("1");
    await settle();
    expect([seen, [...open.keys()], progress, read]).toEqual([[], ["0"], [], 3]);
    await answer("0");
    await settle();
    expect([seen, [...open.keys()], most()]).toEqual([[0, 1, 2], ["3", "4", "5"], 3]);
    expect(progress.at(-1)).toEqual({ created: 3, failed: 0, next: 3 });
    for (let row = 3; row < 20; row++) await answer(`${row}`);
    await settle();
    expect(seen).toEqual(Array.from({ length: 20 }, (_, i) => i));
    expect(await Promise.race([work, "waits for the next row"])).toBe("waits for the next row");
  });

  test("nobody takes the outcomes: no more rows are begun than are in progress at a time", async () => {
    const { pets, open, answer } = withOpenRequests();
    const rows = Array.from({ length: 99 }, (_, i) => ({ name: `${i}`, categoryId: 7 }));
    const outcomes = pets.createMany(rows, { concurrency: 4 })[Symbol.asyncIterator]();
    const first = outcomes.next();
    for (const name of ["0", "1", "2", "3"]) await answer(name);
    expect((await first).value?.index).toBe(0);
    await settle();
    expect([...open.keys()]).toEqual([]);
    await outcomes.return?.(undefined);
  });
});

describe("an end before the end", () => {
  /** Rows without an end, which note that nobody reads on. */
  function endless() {
    const state = { isClosed: false };
    function* rows(): Generator<NewPet> {
      try {
        for (let i = 0; ; i++) yield { name: `${i}`, categoryId: 7 };
      } finally {
        state.isClosed = true;
      }
    }
    return { rows: rows(), state };
  }

  test("the loop is left: the rows are closed, and no further one is begun", async () => {
    const { pets, open, answer } = withOpenRequests();
    const { rows, state } = endless();
    const work = (async () => {
      for await (const { index } of pets.createMany(rows, { concurrency: 3 })) return index;
      return undefined;
    })();
    await until(() => open.size === 3);
    await answer("0");
    expect(await work).toBe(0);
    await answer("1");
    await answer("2");
    await settle();
    expect([[...open.keys()], state.isClosed]).toEqual([[], true]);
  });

  test("the signal is aborted: it says so at once, also while rows are waited for", async () => {
    const { pets } = withOpenRequests();
    async function* never(): AsyncGenerator<NewPet> {
      await new Promise(() => {});
    }
    const ending = new AbortController();
    const waiting = pets.createMany(never(), { signal: ending.signal }).catch((error) => error);
    const { rows, state } = endless();
    const sending = pets.createMany(rows, { signal: ending.signal }).catch((error) => error);
    await settle();
    ending.abort("enough");
    const asked = { operation: "createPet", method: "POST", url: "http://127.0.0.1:1/v1/pets", attempts: 0 };
    expect(await waiting).toMatchObject({ code: "aborted", cause: "enough", ...asked });
    expect(await sending).toMatchObject({ code: "aborted", cause: "enough", ...asked });
    await settle();
    expect(state.isClosed).toBeTrue();
    const late = await pets.createMany(endless().rows, { signal: ending.signal }).catch((error) => error);
    expect(late).toMatchObject({ code: "aborted", ...asked });
    const signal = AbortSignal.timeout(1);
    const overdue = await pets.createMany(never(), { signal }).catch((error) => error);
    expect(overdue).toMatchObject({ code: "deadline_exceeded", ...asked });
  });

  test("a row is in doubt: another run is still creating it when the wait is over, so no row is told as refused", async () => {
    let nowMs = 0;
    const inProgress = { code: "idempotency_in_progress", message: "The first request is still in progress." };
    const sleep = async (ms: number): Promise<void> => {
      nowMs += ms;
    };
    const { pets } = new AnimalStore({
      baseUrl: "http://127.0.0.1:1/v1",
      apiKey: "pk",
      pacing: false,
      clock: { now: () => nowMs, sleep },
      fetch: async (_, { body }) => {
        const { name } = JSON.parse(String(body));
        return name === "1" ? Response.json(inProgress, { status: 409 }) : Response.json({ id: 1 }, { status: 201 });
      },
    });
    const rows = ["0", "1", "2", "3"].map((name) => ({ name, categoryId: 7 }));
    const told: RowOutcome<NewPet>[] = [];
    const work = (async () => {
      for await (const outcome of pets.createMany(rows, { concurrency: 2, maxWaitMs: 60_000 })) told.push(outcome);
    })().catch((error) => error);
    expect(await work).toMatchObject({ code: "idempotency_in_progress", status: 409 });
    expect(told.map(({ index, pet, error }) => [index, pet?.id, error])).toEqual([
      [0, "1", undefined],
      [2, "1", undefined],
    ]);
    expect(nowMs).toBeGreaterThan(50_000);
  });

  test("the rows cannot be read any further: what is in progress is finished and told, and then the mistake", async () => {
    const { pets, answer } = withOpenRequests();
    const mistake = new Error("line 2 is no CSV");
    function* rows(): Generator<NewPet> {
      yield { name: "0", categoryId: 7 };
      throw mistake;
    }
    const told: RowOutcome<NewPet>[] = [];
    const work = (async () => {
      for await (const outcome of pets.createMany(rows())) told.push(outcome);
    })().catch((error) => error);
    await answer("0");
    expect(await work).toBe(mistake);
    expect(told).toMatchObject([{ index: 0, pet: { id: "1" } }]);
  });

  test("the key cannot be read: its mistake is passed on as it is, and not taken for that of a row", async () => {
    const mistake = new TypeError("the vault is closed");
    const { pets } = withOpenRequests({
      apiKey: () => {
        throw mistake;
      },
    });
    expect(await pets.createMany(endless().rows).catch((error) => error)).toBe(mistake);
  });
});

describe("a call", () => {
  test("sends nothing before somebody looks, and its rows once", async () => {
    const { pets, open, answer } = withOpenRequests();
    const run = pets.createMany([{ name: "Rex", categoryId: 7 }]);
    await settle();
    expect([open.size, String(run)]).toEqual([0, "[object BulkCall]"]);
    const both = Promise.all([run, run.finally(() => {})]);
    await answer("Rex");
    const [first, second] = await both;
    expect(first).toBe(second);
    expect(() => run[Symbol.asyncIterator]()).toThrow("Call createMany again");
  });

  test("with arguments that cannot be right is a TypeError, and nothing is sent", async () => {
    const { pets, open } = withOpenRequests();
    const WRONG: readonly (readonly [rows: unknown, options: object, message: string])[] = [
      [undefined, {}, "rows is undefined."],
      [{ name: "Rex" }, {}, "rows is an object."],
      [[], { concurrency: 0 }, "concurrency is 0."],
      [[], { concurrency: 1.5 }, "concurrency is 1.5."],
      [[], { concurrency: "8" }, 'concurrency is "8".'],
      [[], { idempotencyKey: "import" }, 'idempotencyKey is "import". It must be a function.'],
      [[], { toPet: {} }, "toPet is an object. It must be a function."],
      [[], { onProgress: 1 }, "onProgress is 1. It must be a function."],
      [[{ name: "Rex", categoryId: 7 }], { maxWaitMs: -1 }, "maxWaitMs is -1."],
    ];
    for (const [rows, options, message] of WRONG)
      expect(await pets.createMany(rows as readonly NewPet[], options).catch(String)).toStartWith(
        `TypeError: ${message}`,
      );
    expect(await pets.createMany([])).toEqual({ created: [], failed: [] });
    expect(open.size).toBe(0);
  });
});
