import { newSecret } from "../../../src/domain/keys/key.ts";
import { requestBytes } from "../../wire/target.ts";
import { type Assignment, type Attacker, batches, times, tryOpen } from "./attacker.ts";

const MANY = 512;
const PIPELINED = 50;

const repeated = (request: Uint8Array, count: number): Uint8Array => Buffer.concat(Array(count).fill(request));

/** Built once for all connections, so that the attacker itself is not the bottleneck. */
function remembered(make: (assignment: Assignment) => Uint8Array): (assignment: Assignment) => Uint8Array {
  let made: Uint8Array | undefined;
  return (assignment) => {
    made ??= make(assignment);
    return made;
  };
}

/** 512 connections that pipeline 50 requests each, with a key that is banned or without any. */
export const pipelined: Attacker = batches(
  MANY,
  PIPELINED,
  remembered(({ secret }) => repeated(requestBytes("GET /v1/pets", { secret }), PIPELINED)),
);

/** A new connection for every request: Bun serves new connections before it returns to the others. */
export const newConnections: Attacker = batches(
  MANY,
  1,
  remembered(() => requestBytes("GET /v1/pets", { headers: ["Connection: close"] })),
);

/** Well-formed keys that do not exist: each has to be looked up. */
export const madeUpKeys: Attacker = batches(64, PIPELINED, () =>
  Buffer.concat(Array.from({ length: PIPELINED }, () => requestBytes("GET /v1/pets", { secret: newSecret() }))),
);

/** Every request from another address, as a trusted proxy would forward it. */
export const forwardedAddresses: Attacker = batches(8, PIPELINED, (_, number) =>
  Buffer.concat(
    Array.from({ length: PIPELINED }, (_, i) => {
      const address = number * PIPELINED + i;
      const dotted = [10 + (address >>> 24), (address >>> 16) & 255, (address >>> 8) & 255, address & 255].join(".");
      return requestBytes("GET /v1/pets", { headers: [`X-Forwarded-For: ${dotted}`] });
    }),
  ),
);

/** The whole quota of a key at once, with uncached pages, and then more of the same. */
export const quotaFlood: Attacker = batches(64, 10, ({ secret }, number) =>
  Buffer.concat(
    Array.from({ length: 10 }, (_, i) => {
      const ids = Array.from({ length: 100 }, (_, id) => `id=${(number * 10 + i) * 7 + id}`).join("&");
      return requestBytes(`GET /v1/pets?limit=100&${ids}`, { secret });
    }),
  ),
);

/** Adds as many animals as the key's quota allows. */
export const writeFlood: Attacker = batches(64, 1, ({ secret }, number) =>
  requestBytes("POST /v1/pets", { secret, body: `{"name":"Flood ${number}","categoryId":${number}}` }),
);

export const docsScript: Attacker = batches(
  64,
  1,
  remembered(({ scriptPath }) => requestBytes(`GET ${scriptPath}`)),
);

/** Connections that are closed at once, some of them in the middle of a request. */
export const connectAndClose: Attacker = async ({ origin }, toll, isOver) => {
  const half = requestBytes("GET /v1/pets").subarray(0, 30);
  await times(64, async (index) => {
    while (!isOver()) {
      const connection = await tryOpen(origin, toll);
      if (index % 2 === 0) connection?.send(half);
      connection?.cut();
      toll.requests++;
    }
  });
};
