import { Connection } from "../../wire/connection.ts";

/** An attacker's assignment. It is plain data, because it is passed to another process as JSON. */
export interface Assignment {
  readonly attacker: string;
  readonly origin: string;
  readonly seconds: number;
  /** The attack stops early once this many requests have been answered. */
  readonly maxRequests: number;
  readonly secret?: string;
  /** The path of the largest response. */
  readonly scriptPath: string;
}

/** The figures of an attack. */
export interface Toll {
  requests: number;
  answers: number;
  /** Connections that could not be opened, or were closed before a response. */
  closed: number;
}

export type Attacker = (assignment: Assignment, toll: Toll, isOver: () => boolean) => Promise<void>;

const ANSWER_PATIENCE_MS = 15_000;

/** Runs the same work several times concurrently. */
export const times = (count: number, work: (index: number) => Promise<void>): Promise<unknown> =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)));

/** Opens a connection, or resolves to undefined if refused, after a pause, so that the attacker does not spin. */
export async function tryOpen(origin: string, toll: Toll): Promise<Connection | undefined> {
  try {
    return await Connection.open(origin, { keep: false });
  } catch {
    toll.closed++;
    await Bun.sleep(20);
    return undefined;
  }
}

/** Sends batches of requests, and keeps each connection open as long as the service does. */
export function batches(
  connections: number,
  perBatch: number,
  batchOf: (assignment: Assignment, number: number) => Uint8Array,
): Attacker {
  return async (assignment, toll, isOver) => {
    let number = 0;
    await times(connections, async () => {
      let connection: Connection | undefined;
      while (!isOver()) {
        if (!connection || connection.isClosed) connection = await tryOpen(assignment.origin, toll);
        if (!connection) continue;
        const due = connection.answersBegun + perBatch;
        const before = connection.answersBegun;
        toll.requests += perBatch;
        connection.send(batchOf(assignment, number++));
        const open = connection;
        await open.until(() => open.answersBegun >= due, ANSWER_PATIENCE_MS);
        toll.answers += open.answersBegun - before;
        if (open.isClosed) toll.closed++;
      }
      connection?.cut();
    });
  };
}
