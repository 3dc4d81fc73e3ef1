import { lazy } from "../lazy.ts";

// A text that has to be kept is sealed: only who has the secret that it was sealed with can open it.

/** Loaded when something is sealed: every start and every thread would pay for it. */
const crypto = lazy(() => process.getBuiltinModule("node:crypto"));

const SALT_BYTES = 16;
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const CIPHER = "aes-256-gcm";
const PURPOSE = "animal-store: the response to a rotation";

/** Encrypts a text with a key that is derived from a random secret, and binds it to the id of what it is about. */
export function seal(text: string, secret: string, id: string): string {
  const { createCipheriv, randomBytes } = crypto();
  const salt = randomBytes(SALT_BYTES);
  const { key, nonce } = derived(secret, salt);
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(id));
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([salt, sealed, cipher.getAuthTag()]).toString("base64url");
}

/** Throws if it was sealed with another secret, is about something else, or was changed. */
export function unseal(sealedText: string, secret: string, id: string): string {
  const bytes = Buffer.from(sealedText, "base64url");
  const { key, nonce } = derived(secret, bytes.subarray(0, SALT_BYTES));
  const decipher = crypto()
    .createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(id))
    .setAuthTag(bytes.subarray(-TAG_BYTES));
  return decipher.update(bytes.subarray(SALT_BYTES, -TAG_BYTES), undefined, "utf8") + decipher.final("utf8");
}

/** The salt is new each time, so neither the key nor the nonce is ever used twice. A random secret needs no slow derivation. */
function derived(secret: string, salt: Uint8Array) {
  const bytes = Buffer.from(crypto().hkdfSync("sha256", secret, salt, PURPOSE, KEY_BYTES + NONCE_BYTES));
  return { key: bytes.subarray(0, KEY_BYTES), nonce: bytes.subarray(KEY_BYTES) };
}
