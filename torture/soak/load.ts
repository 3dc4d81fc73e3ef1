import type { Random } from "../common/random.ts";
import { readAnswers, textOf, type WireAnswer } from "../wire/answers.ts";
import { Connection } from "../wire/connection.ts";
import { requestBytes } from "../wire/target.ts";

/** What was asked, and what was answered. */
export class SoakTotals {
  connections = 0;
  /** Those that were cut without an answer; they had no key. */
  abandoned = 0;
  /** With the key, all of them answered. */
  requests = 0;
  animals = 0;
  orders = 0;
  readonly mistakes: string[] = [];
}

export interface SoakOptions {
  readonly origin: string;
  readonly secret: string;
  readonly totals: SoakTotals;
  /** A new sequence of choices for each client. */
  readonly randomOf: (client: number) => Random;
  readonly isOver: () => boolean;
}

const CLIENTS = 24;
const DEADLINE_MS = 15_000;

/** Clients that come, ask a few things, and go, politely or not. */
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

/** Without a key, so that the count of the key's requests stays exact. */
const ABANDONED = [
  requestBytes("GET /v1/pets"),
  requestBytes("POST /v1/pets", { body: `{"name":"${"x".repeat(200)}"}` }),
  requestBytes("GET /healthz"),
];

async function ask(connection: Connection, { secret, totals }: SoakOptions, random: Random): Promise<void> {
  const { line, body, statuses } = anyRequest(random);
  connection.send(requestBytes(line, { secret, ...(body === undefined ? {} : { body }) }));
  const answered = (): WireAnswer | undefined =>
    readAnswers(connection.received, () => line.startsWith("HEAD")).answers[0];
  await connection.until(() => answered() !== undefined, DEADLINE_MS);
  const answer = answered();
  connection.takeReceived();
  totals.requests++;
  if (!answer) totals.mistakes.push(`${line} was not answered`);
  else if (!statuses.includes(answer.status))
    totals.mistakes.push(`${line} was answered with ${answer.status}: ${textOf(answer).slice(0, 200)}`);
  else if (answer.status === 201 && line.includes("/pets")) totals.animals++;
  else if (answer.status === 201) totals.orders++;
}

interface SoakRequest {
  readonly line: string;
  readonly body?: string;
  readonly statuses: readonly number[];
}

/** What clients do, mistakes included. */
function anyRequest(random: Random): SoakRequest {
  const id = random.int(1, 2_000);
  const kind = random.float();
  if (kind < 0.3) return { line: "GET /v1/pets?limit=20", statuses: [200] };
  if (kind < 0.45) return { line: `GET /v1/pets?limit=100&cursor=${id}`, statuses: [200, 400] };
  if (kind < 0.55) return { line: `GET /v1/pets/${id}`, statuses: [200, 404] };
  if (kind < 0.6) return { line: "HEAD /v1/store/orders", statuses: [200] };
  if (kind < 0.75) return { line: "POST /v1/pets", body: `{"name":"Soak ${id}","categoryId":${id}}`, statuses: [201] };
  if (kind < 0.85) return { line: "POST /v1/store/orders", body: `{"petId":${id}}`, statuses: [201, 400, 409] };
  if (kind < 0.9)
    return { line: `PATCH /v1/store/orders/${id}`, body: '{"status":"approved"}', statuses: [200, 404, 409] };
  if (kind < 0.95) return { line: "POST /v1/pets", body: '{"name":', statuses: [400] };
  return { line: `GET /v1/nothing/${id}`, statuses: [404] };
}
