// This folder has what only Bun has, or has in this form. The client's testing kit brings the same files of its own
// (client/testing/runtime/), so that the rules built on them run in every runtime.

/** The SHA-256 of a text in base64url. */
export const sha256 = (text: string): string => Bun.SHA256.hash(text, "base64url");

/** The SHA-256 of a text in hexadecimal. */
export const sha256Hex = (text: string): string => new Bun.CryptoHasher("sha256").update(text).digest("hex");

export const crc32 = (text: string): number => Bun.hash.crc32(text);
