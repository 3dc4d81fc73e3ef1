import { decodeBase64Url, encodeBase64Url } from "./base64.ts";
import { sha256 } from "./digests.ts";

// A test store keeps nothing outside of the program's memory, so its texts need no encryption. Only who has the secret
// that one was sealed with can open it, as in the service.

export const seal = (text: string, secret: string, id: string): string =>
  encodeBase64Url(JSON.stringify([sha256(`${secret} ${id}`), text]));

/** Throws if it was sealed with another secret, or is about something else. */
export function unseal(sealedText: string, secret: string, id: string): string {
  const [lock, text] = JSON.parse(decodeBase64Url(sealedText));
  if (lock !== sha256(`${secret} ${id}`)) throw new Error("it was sealed with another secret");
  return text;
}
