import { sha256 } from "./digests.ts";

/** Not the service's digest, but as long, and as different for different texts: nobody may rely on more. */
export const quickDigest = (text: string, firstSeed: bigint, secondSeed: bigint): string =>
  sha256(`${firstSeed} ${secondSeed} ${text}`).slice(0, 22);
