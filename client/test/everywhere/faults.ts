import type { AnimalStore, AnimalStoreError, AnimalStoreOptions, Call, WriteOptions } from "../../src/index.ts";

// Writes and reads over a connection that breaks, in any runtime. Needs nothing but the client.

export interface FaultRun {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** The number of concurrent callers, and of rounds that each of them does. */
  readonly callers: number;
  readonly rounds: number;
}

/** The results that the client has reported. */
export interface FaultReport {
  /** The current names of animals, and the names of deleted ones. */
  readonly kept: string[];
  readonly deleted: string[];
  /** The references of orders, all of them approved. */
  readonly ordered: string[];
  /** The names of categories by id. */
  readonly categories: Record<string, string>;
  /** The number of failed calls that succeeded when repeated with the same idempotency key. */
  finished: number;
  /** Wrong results, and unexpected errors. */
  readonly wrong: string[];
}

/** Fifty times as fast as real time, because a run would otherwise consist of waiting. */
const clock = {
  now: () => performance.now(),
  sleep: (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms / 50)),
};

type Client = typeof AnimalStore;

export async function workThroughFaults(Client: Client, run: FaultRun): Promise<FaultReport> {
  const options: AnimalStoreOptions & { clock: typeof clock } = { ...run, timeoutMs: 400, clock };
  const worker = new Worker(new Client(options));
  await Promise.all(Array.from({ length: run.callers }, (_, caller) => worker.work(caller, run.rounds)));
  return worker.report;
}

class Worker {
  readonly report: FaultReport = { kept: [], deleted: [], ordered: [], categories: {}, finished: 0, wrong: [] };

  constructor(private readonly store: AnimalStore) {}

  async work(caller: number, rounds: number): Promise<void> {
    const category = String(9007199254740993n + BigInt(caller));
    let kept = 0;
    for (let round = 0; round < rounds; round++) {
      const name = `${caller}-${round}`;
      try {
        kept += await this.#round(name, category, round);
      } catch (error) {
        this.report.wrong.push(`${name}: ${error}`);
      }
    }
    // Each of the pages may fail.
    const listed = await this.#finish(async () => {
      const ids = new Set<string>();
      for await (const pet of this.store.pets.list({ categoryId: category, limit: 3 })) ids.add(pet.id);
      return ids.size;
    }).catch(String);
    this.#expect(`pets of ${caller}`, listed, kept);
  }

  /** Returns the number of animals added. */
  async #round(name: string, categoryId: string, round: number): Promise<number> {
    const { pets, orders, categories } = this.store;
    const { report } = this;
    const pet = await this.#finish((options) => pets.create({ name, categoryId }, options));
    this.#expect("created", pet, { id: pet.id, name, categoryId, status: "available" });
    const found = await this.#finish(() => pets.list({ id: pet.id }));
    this.#expect("found", found.items, [pet]);
    if (round % 4 === 0) {
      await this.#finish((options) => pets.delete(pet.id, options));
      report.deleted.push(name);
      return 0;
    }
    if (round % 4 === 1) {
      const order = await this.#finish((options) => orders.place({ petId: pet.id, reference: name }, options));
      this.#expect("ordered", [order.petId, order.reference, order.status], [pet.id, name, "placed"]);
      const approved = await this.#finish((options) => orders.approve(order.id, options));
      this.#expect("approved", [approved.id, approved.status], [order.id, "approved"]);
      report.ordered.push(name);
    }
    if (round % 4 === 2) {
      const updated = await this.#finish((options) => pets.update(pet.id, { name: `${name} renamed` }, options));
      this.#expect("updated", updated, { ...pet, name: `${name} renamed` });
      report.kept.push(updated.name);
      return 1;
    }
    if (round % 4 === 3) {
      // Categories get the numbers of animals, because those are unique.
      const number: string = pet.id;
      const put = await this.#finish((options) => categories.put(number, { name: `category ${name}` }, options));
      this.#expect("named", put, { id: pet.id, name: `category ${name}` });
      report.categories[put.id] = put.name;
    }
    report.kept.push(name);
    return 1;
  }

  /** Repeats a call with the same idempotency key until it succeeds. */
  async #finish<T>(call: (options: WriteOptions) => Call<T> | Promise<T>): Promise<T> {
    let idempotencyKey: string | undefined;
    for (let calls = 1; ; calls++) {
      try {
        const result = await call({ retries: 1, idempotencyKey });
        if (calls > 1) this.report.finished++;
        return result;
      } catch (error) {
        const { code, status = 0 } = error as AnimalStoreError;
        const isOfTheWire = code === "timeout" || code === "connection_failed" || (status >= 502 && status <= 504);
        // On a slow machine, an earlier attempt may still be in progress.
        const isUnderWay = code === "idempotency_in_progress";
        if (!(isOfTheWire || isUnderWay) || calls === 200) throw error;
        idempotencyKey = (error as AnimalStoreError).idempotencyKey;
      }
    }
  }

  #expect(what: string, got: unknown, wanted: unknown): void {
    const [gotText, wantedText] = [JSON.stringify(got), JSON.stringify(wanted)];
    if (gotText !== wantedText) this.report.wrong.push(`${what}: ${gotText}, not ${wantedText}`);
  }
}
