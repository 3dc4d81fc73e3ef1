import { Connection } from "../../wire/connection.ts";

/** What an attacker is given. It runs in a process of its own, so it must be plain data. */
export interface Assignment {
  readonly attacker: string;
  readonly origin: string;
  readonly seconds: number;
  /** Stops before the time is up when it has sent this many requests, and they have been answered. */
  readonly maxRequests: number;
  readonly secret?: string;
  /** Where the largest answer is. */
  readonly scriptPath: string;
}

/** What an attacker has done. */
export interface Toll {
  requests: number;
  answers: number;
  /** Connections that it could not open, or that were closed before an answer. */
  closed: number;
}

export type Attacker = (assignment: Assignment, toll: Toll, isOver: () => boolean) => Promise<void>;

const ANSWER_PATIENCE_MS = 15_000;

/** Runs the same work several times side by side. */
export const times = (count: number, work: (index: number) => Promise<void>): Promise<unknown> =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)));

/** Opens a connection; undefined when nobody accepts it, after a moment, so that an attacker does not spin. */
export async function tryOpen(origin: string, toll: Toll): Promise<Connection | undefined> {
  try {
    return await Connection.open(origin, { keep: false });
  } catch {
    toll.closed++;
    await Bun.sleep(20);
    return undefined;
  }
}

/** Sends batches of requests over connections that are kept as long as the service keeps them. */
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
