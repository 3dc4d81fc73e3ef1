// Runs within the measured runtime: sends the same requests with bare fetch and through the client, in turns.

import { AnimalStore } from "animal-store-client";

/** The assignment that `client.ts` passes on as JSON. */
export interface Load {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly rounds: number;
  /** The duration of each measurement in a round. */
  readonly roundMs: number;
  /** The time before that in which the code is compiled. */
  readonly warmUpMs: number;
  readonly callers: number;
}

/** The rates of one round, with bare fetch or through the client. */
export interface Rates {
  readonly perSecond: number;
  readonly perCpuSecond: number;
}

/** The rounds of bare fetch and of the client, by workload. */
export type Measured = Record<string, { readonly bare: Rates[]; readonly client: Rates[] }>;

export async function measure(load: Load): Promise<Measured> {
  const { baseUrl, apiKey } = load;
  const store = new AnimalStore({ baseUrl, apiKey });
  const authorization = `Bearer ${apiKey}`;
  const get = async (path: string): Promise<unknown> =>
    (await fetch(baseUrl + path, { headers: { authorization } })).json();
  // Each creation has an idempotency key, as with the client: otherwise the service would have less to do.
  const post = async (path: string, body: object): Promise<unknown> => {
    const headers = { authorization, "content-type": "application/json", "idempotency-key": crypto.randomUUID() };
    return (await fetch(baseUrl + path, { method: "POST", headers, body: JSON.stringify(body) })).json();
  };
  const pet = { name: "Rex", categoryId: 7 };
  const works: Record<string, Workload> = {
    "a page of 20": { bare: () => get("/pets?limit=20"), client: () => store.pets.list({ limit: 20 }) },
    "a page of 100": { bare: () => get("/pets?limit=100"), client: () => store.pets.list({ limit: 100 }) },
    "a creation": { bare: () => post("/pets", pet), client: () => store.pets.create(pet) },
  };
  const measured: Measured = {};
  for (const [name, work] of Object.entries(works)) measured[name] = await inTurns(work, load);
  return measured;
}

interface Workload {
  readonly bare: () => PromiseLike<unknown>;
  readonly client: () => PromiseLike<unknown>;
}

/** The two alternate in going first. */
async function inTurns(work: Workload, { rounds, roundMs, warmUpMs, callers }: Load): Promise<Measured[string]> {
  const rates: Measured[string] = { bare: [], client: [] };
  for (const way of WAYS) await sendFor(warmUpMs, work[way], callers);
  for (let round = 0; round < rounds; round++)
    for (const way of round % 2 === 0 ? WAYS : WAYS.toReversed())
      rates[way].push(await sendFor(roundMs, work[way], callers));
  return rates;
}

const WAYS = ["bare", "client"] as const;

async function sendFor(ms: number, send: () => PromiseLike<unknown>, callers: number): Promise<Rates> {
  let sent = 0;
  const cpuBefore = process.cpuUsage();
  const beganMs = performance.now();
  const caller = async (): Promise<void> => {
    for (; performance.now() - beganMs < ms; sent++) await send();
  };
  await Promise.all(Array.from({ length: callers }, caller));
  const { user, system } = process.cpuUsage(cpuBefore);
  const seconds = (performance.now() - beganMs) / 1000;
  return { perSecond: sent / seconds, perCpuSecond: (sent / (user + system)) * 1e6 };
}
