import type { Random } from "../common/random.ts";
import { below } from "./values.ts";

const TOKENS = [
  "\r\n",
  "\n",
  "\r\n\r\n",
  "\0",
  ":",
  " ",
  "HTTP/1.1",
  "Content-Length: 5\r\n",
  "Transfer-Encoding: chunked\r\n",
  "0\r\n\r\n",
  "POST ",
  "{",
  '"',
  "\\u0000",
  "%",
  "\xff",
].map((token) => Buffer.from(token, "latin1"));

/** A copy that differs in one to four ways: flipped bits, cuts, repeats, splices and inserted tokens. */
export function mutated(random: Random, bytes: Uint8Array, other: Uint8Array): Uint8Array {
  let result: Uint8Array = bytes.slice();
  for (let times = 1 + below(random, 4); times > 0; times--) result = mutatedOnce(random, result, other);
  return result;
}

function mutatedOnce(random: Random, bytes: Uint8Array, other: Uint8Array): Uint8Array {
  const at = below(random, bytes.length + 1);
  const until = Math.min(bytes.length, at + 1 + below(random, random.chance(0.5) ? 4 : 60));
  switch (below(random, 6)) {
    case 0:
      return flipped(random, bytes);
    case 1: // cut
      return join(bytes.subarray(0, at), bytes.subarray(until));
    case 2: // repeat
      return join(
        bytes.subarray(0, until),
        ...Array(1 + below(random, 20)).fill(bytes.subarray(at, until)),
        bytes.subarray(until),
      );
    case 3: // splice
      return join(bytes.subarray(0, at), other.subarray(below(random, other.length + 1)));
    case 4: // insert
      return join(bytes.subarray(0, at), random.pick(TOKENS), bytes.subarray(at));
    default: // overwrite
      return join(bytes.subarray(0, at), random.bytes(until - at), bytes.subarray(until));
  }
}

function flipped(random: Random, bytes: Uint8Array): Uint8Array {
  if (bytes.length === 0) return bytes;
  const at = below(random, bytes.length);
  bytes[at] = (bytes[at] as number) ^ (1 << below(random, 8));
  return bytes;
}

const join = (...parts: Uint8Array[]): Uint8Array => Buffer.concat(parts);

/** Random bytes, some of them with enough structure to get past the first line. */
export function noise(random: Random): Uint8Array {
  const parts = Array.from({ length: 1 + below(random, 12) }, () =>
    random.chance(0.5) ? random.bytes(below(random, 80)) : random.pick(TOKENS),
  );
  return random.chance(0.5) ? join(Buffer.from("GET /v1/pets HTTP/1.1\r\n"), ...parts) : join(...parts);
}
