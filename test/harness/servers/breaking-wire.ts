import { connect, createServer, type Socket } from "node:net";
import { atEnd } from "../cleanup.ts";

/** ReadyForQuery ends PostgreSQL's response to a login and to each statement: 'Z', the length, a status. */
const READY = Buffer.from([0x5a, 0, 0, 0, 5]);

/** The points at which a connection breaks: before the server sees the statement, or before or after its response. */
export const BREAKS = ["before", "instead of the answer", "after the answer"] as const;
/** "never": it stays open, but silent. */
export type Break = (typeof BREAKS)[number] | "never";

export interface BreakingWire {
  readonly port: number;
  /** The number of statements sent. */
  readonly statements: () => number;
}

/**
 * A proxy to PostgreSQL that breaks at the n-th statement, counted over all connections, or at the first that has a
 * text in it, and at each one after it. The login is the 0th.
 */
export function breakAtStatement(targetPort: number, at: number | string, when: Break): Promise<BreakingWire> {
  let sent = 0;
  let n = typeof at === "number" ? at : Number.POSITIVE_INFINITY;
  const accept = (client: Socket): void => {
    const upstream = connect(targetPort, "127.0.0.1");
    let isReady = false;
    const end = (): void => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) socket.on("error", end).on("close", end);
    client.on("data", (data: Buffer) => {
      if (isReady) sent++;
      isReady = false;
      if (typeof at === "string" && data.includes(at)) n = Math.min(n, sent);
      if (sent >= n && when === "before") return end();
      if (sent >= n && when === "never") return;
      upstream.write(data);
    });
    upstream.on("data", (data: Buffer) => {
      isReady = isReady || data.includes(READY);
      if (sent < n) return void client.write(data);
      if (when === "instead of the answer") return end();
      client.write(data);
      // Let the bytes leave first.
      if (isReady) setTimeout(end, 1);
    });
  };
  return new Promise((resolve) => {
    const server = createServer(accept).listen(0, "127.0.0.1", () =>
      resolve({ port: (server.address() as { port: number }).port, statements: () => sent }),
    );
    atEnd(() => server.close());
  });
}
