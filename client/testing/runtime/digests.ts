// SHA-256 and CRC-32 in plain JavaScript: `crypto.subtle` is asynchronous, and missing on pages without HTTPS.

import { base64UrlOf } from "./base64.ts";

/** The fractional parts of a root of each of the first primes, as 32 bits: where SHA-256 takes its constants from. */
function fractions(count: number, root: (prime: number) => number): Int32Array {
  const primes: number[] = [];
  for (let n = 2; primes.length < count; n++) if (primes.every((prime) => n % prime !== 0)) primes.push(n);
  return Int32Array.from(primes, (prime) => ((root(prime) % 1) * 2 ** 32) | 0);
}

const START = fractions(8, Math.sqrt);
const ROUNDS = fractions(64, Math.cbrt);

const rotated = (word: number, bits: number): number => (word >>> bits) | (word << (32 - bits));

/** The message with its end marked, and its length in bits, in whole blocks of 64 bytes. */
function padded(text: string): DataView {
  const bytes = new TextEncoder().encode(text);
  const blocks = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64);
  blocks.set(bytes);
  blocks[bytes.length] = 0x80;
  const view = new DataView(blocks.buffer);
  view.setBigUint64(blocks.length - 8, BigInt(bytes.length * 8));
  return view;
}

/** FIPS 180-4. */
function digestOf(text: string): Uint8Array {
  const message = padded(text);
  const state = START.slice();
  const words = new Int32Array(64);
  for (let block = 0; block < message.byteLength; block += 64) {
    for (let i = 0; i < 16; i++) words[i] = message.getInt32(block + 4 * i);
    for (let i = 16; i < 64; i++) words[i] = nextWord(words, i);
    mix(state, words);
  }
  const digest = new DataView(new ArrayBuffer(32));
  for (const [i, word] of state.entries()) digest.setInt32(4 * i, word);
  return new Uint8Array(digest.buffer);
}

function nextWord(words: Int32Array, i: number): number {
  const [a, b] = [words[i - 15] as number, words[i - 2] as number];
  const small = rotated(a, 7) ^ rotated(a, 18) ^ (a >>> 3);
  const large = rotated(b, 17) ^ rotated(b, 19) ^ (b >>> 10);
  return ((words[i - 16] as number) + small + (words[i - 7] as number) + large) | 0;
}

function mix(state: Int32Array, words: Int32Array): void {
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let i = 0; i < 64; i++) {
    const choice = (e & f) ^ (~e & g);
    const first = (h + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) + choice) | 0;
    const used = (first + (ROUNDS[i] as number) + (words[i] as number)) | 0;
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const second = ((rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + majority) | 0;
    [a, b, c, d, e, f, g, h] = [(used + second) | 0, a, b, c, (d + used) | 0, e, f, g];
  }
  for (const [i, word] of [a, b, c, d, e, f, g, h].entries()) (state[i] as number) += word;
}

export const sha256 = (text: string): string => base64UrlOf(digestOf(text));

export const sha256Hex = (text: string): string =>
  Array.from(digestOf(text), (byte) => byte.toString(16).padStart(2, "0")).join("");

const POLYNOMIAL = 0xedb88320;

export function crc32(text: string): number {
  let rest = -1;
  for (const byte of new TextEncoder().encode(text)) {
    rest ^= byte;
    for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? (rest >>> 1) ^ POLYNOMIAL : rest >>> 1;
  }
  return ~rest >>> 0;
}
