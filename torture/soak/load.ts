import type { Random } from "../common/random.ts";
import { readAnswers, textOf, type WireAnswer } from "../wire/answers.ts";
import { Connection } from "../wire/connection.ts";
import { requestBytes } from "../wire/target.ts";

/** Counts of requests and responses. */
export class SoakTotals {
  connections = 0;
  /** Requests without a key that were cut off before their response. */
  abandoned = 0;
  /** Requests with the key, all of them answered. */
  requests = 0;
  animals = 0;
  updates = 0;
  deletions = 0;
  orders = 0;
  /** 304 responses. */
  unchanged = 0;
  readonly mistakes: string[] = [];
}

export interface SoakOptions {
  readonly origin: string;
  readonly secret: string;
  readonly totals: SoakTotals;
  /** A separate sequence of random choices for each client. */
  readonly randomOf: (client: number) => Random;
  readonly isOver: () => boolean;
}

const CLIENTS = 24;
const DEADLINE_MS = 15_000;

/** Runs clients that connect, send a few requests, and disconnect, gracefully or not. */
export async function load(options: SoakOptions): Promise<void> {
  const clients = Array.from({ length: CLIENTS }, async (_, number) => {
    const random = options.randomOf(number);
    while (!options.isOver()) await visit(options, random);
  });
  await Promise.all(clients);
}

async function visit(options: SoakOptions, random: Random): Promise<void> {
  const { origin, totals } = options;
  const connection = await Connection.open(origin);
  totals.connections++;
  if (random.chance(0.2)) {
    totals.abandoned++;
    connection.send(random.pick(ABANDONED).subarray(0, random.int(0, 200)));
    await Bun.sleep(random.int(0, 5));
  } else
    for (let left = random.pick([1, 3, 10, 50]); left > 0 && !connection.isClosed && !options.isOver(); left--)
      await ask(connection, options, random);
  connection.cut();
}

/** Requests to abandon. They have no key, so that the count of the key's requests stays exact. */
const ABANDONED = [
  requestBytes("GET /v1/pets"),
  requestBytes("POST /v1/pets", { body: `{"name":"${"x".repeat(200)}"}` }),
  requestBytes("GET /healthz"),
];

async function ask(connection: Connection, { secret, totals }: SoakOptions, random: Random): Promise<void> {
  const { line, body, headers = [], statuses } = anyRequest(random);
  connection.send(requestBytes(line, { secret, headers, ...(body === undefined ? {} : { body }) }));
  const answered = (): WireAnswer | undefined =>
    readAnswers(connection.received, () => line.startsWith("HEAD")).answers[0];
  await connection.until(() => answered() !== undefined, DEADLINE_MS);
  const answer = answered();
  connection.takeReceived();
  totals.requests++;
  if (!answer) totals.mistakes.push(`${line} was not answered`);
  else if (!statuses.includes(answer.status))
    totals.mistakes.push(`${line} was answered with ${answer.status}: ${textOf(answer).slice(0, 200)}`);
  else count(totals, line, answer.status);
}

function count(totals: SoakTotals, line: string, status: number): void {
  if (status === 304) totals.unchanged++;
  else if (line === "POST /v1/pets" && status === 201) totals.animals++;
  else if (line === "POST /v1/store/orders" && status === 201) totals.orders++;
  else if (line.startsWith("PATCH /v1/pets/") && status === 200) totals.updates++;
  else if (line.startsWith("DELETE /v1/pets/") && status === 204) totals.deletions++;
}

interface SoakRequest {
  readonly line: string;
  readonly body?: string;
  readonly headers?: readonly string[];
  readonly statuses: readonly number[];
}

/** The requests of clients, mistakes included, with relative weights. */
const REQUESTS: readonly (readonly [weight: number, make: (id: number) => SoakRequest])[] = [
  [20, () => ({ line: "GET /v1/pets?limit=20", statuses: [200] })],
  [5, () => ({ line: "GET /v1/pets?limit=20", headers: ["If-None-Match: *"], statuses: [304] })],
  [5, (id) => ({ line: `GET /v1/pets?name=soak%20${id}`, statuses: [200] })],
  [5, () => ({ line: "GET /v1/pets?sort=-id&limit=50", statuses: [200] })],
  [12, (id) => ({ line: `GET /v1/pets?limit=100&cursor=${id}`, statuses: [200, 400] })],
  [10, (id) => ({ line: `GET /v1/pets/${id}`, statuses: [200, 404] })],
  [5, () => ({ line: "HEAD /v1/store/orders", statuses: [200] })],
  [3, () => ({ line: "GET /v1/key", statuses: [200] })],
  [15, (id) => ({ line: "POST /v1/pets", body: `{"name":"Soak ${id}","categoryId":${id}}`, statuses: [201] })],
  [4, (id) => ({ line: `PATCH /v1/pets/${id}`, body: `{"name":"Soak, corrected ${id}"}`, statuses: [200, 404] })],
  [3, (id) => ({ line: `DELETE /v1/pets/${id}`, statuses: [204, 404, 409] })],
  [2, (id) => ({ line: `DELETE /v1/pets/${id}`, headers: ['If-Match: "another"'], statuses: [404, 412] })],
  [3, (id) => ({ line: `PUT /v1/categories/${id}`, body: `{"name":"Soak ${id}"}`, statuses: [200, 201] })],
  [2, (id) => ({ line: `DELETE /v1/categories/${id}`, statuses: [204, 404] })],
  [8, (id) => ({ line: "POST /v1/store/orders", body: `{"petId":${id}}`, statuses: [201, 400, 409] })],
  [5, (id) => ({ line: `PATCH /v1/store/orders/${id}`, body: '{"status":"approved"}', statuses: [200, 404, 409] })],
  [5, () => ({ line: "POST /v1/pets", body: '{"name":', statuses: [400] })],
  [5, (id) => ({ line: `GET /v1/nothing/${id}`, statuses: [404] })],
];

/** Each request occurs as often as its weight. */
const BY_WEIGHT = REQUESTS.flatMap(([weight, make]) => Array.from({ length: weight }, () => make));

const anyRequest = (random: Random): SoakRequest => random.pick(BY_WEIGHT)(random.int(1, 2_000));
