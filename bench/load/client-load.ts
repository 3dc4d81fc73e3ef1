// Runs within the measured runtime: sends the same requests with bare fetch and through the client, in turns.

import { AnimalStore } from "animal-store-client";

/** The assignment that `client.ts` passes on as JSON. */
export interface Load {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** The number of turns that each way has. */
  readonly turns: number;
  /** The requests of one turn: few, so that both ways meet the same disturbances. */
  readonly perTurn: number;
  readonly callers: number;
  /** The cursor behind which one category in seven is beyond 2^53. */
  readonly largeCursor: string;
}

/** Microseconds of CPU time per call, of each turn, by workload. */
export type Measured = Record<string, { readonly bare: number[]; readonly client: number[] }>;

export async function measure(load: Load): Promise<Measured> {
  const { baseUrl, apiKey, largeCursor: cursor } = load;
  const store = new AnimalStore({ baseUrl, apiKey });
  const authorization = `Bearer ${apiKey}`;
  const get = async (path: string): Promise<unknown> =>
    (await fetch(baseUrl + path, { headers: { authorization } })).json();
  const works: Record<string, Workload> = {
    "page of 20": { bare: () => get("/pets?limit=20"), client: () => store.pets.list({ limit: 20 }) },
    "page of 100": { bare: () => get("/pets?limit=100"), client: () => store.pets.list({ limit: 100 }) },
    "page of 100 with large ids": {
      bare: () => get(`/pets?limit=100&cursor=${cursor}`),
      client: () => store.pets.list({ limit: 100, cursor }),
    },
  };
  const measured: Measured = {};
  for (const [name, work] of Object.entries(works)) measured[name] = await inTurns(work, load);
  return measured;
}

interface Workload {
  readonly bare: () => PromiseLike<unknown>;
  readonly client: () => PromiseLike<unknown>;
}

const WAYS = ["bare", "client"] as const;

/** The two alternate in going first. The first quarter of the turns is not counted: code is compiled meanwhile. */
async function inTurns(work: Workload, { turns, perTurn, callers }: Load): Promise<Measured[string]> {
  const micros: Measured[string] = { bare: [], client: [] };
  const unmeasured = Math.ceil(turns / 4);
  for (let turn = -unmeasured; turn < turns; turn++)
    for (const way of turn % 2 === 0 ? WAYS : WAYS.toReversed()) {
      const perCall = await send(perTurn, work[way], callers);
      if (turn >= 0) micros[way].push(perCall);
    }
  return micros;
}

/** Sends some requests, and returns the CPU time of each. */
async function send(count: number, call: () => PromiseLike<unknown>, callers: number): Promise<number> {
  let left = count;
  const before = process.cpuUsage();
  const caller = async (): Promise<void> => {
    while (left-- > 0) await call();
  };
  await Promise.all(Array.from({ length: callers }, caller));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
}
