const digest = new BigUint64Array(2);
const digestBytes = Buffer.from(digest.buffer);

/**
 * A digest of 128 bits in base64url, for what nobody gains by forging: one of 64 bits by xxHash3 for each seed. It takes
 * a tenth of SHA-256's time where the processor has no instructions for that.
 */
export function quickDigest(text: string, firstSeed: bigint, secondSeed: bigint): string {
  digest[0] = Bun.hash.xxHash3(text, firstSeed);
  digest[1] = Bun.hash.xxHash3(text, secondSeed);
  return digestBytes.toString("base64url");
}
