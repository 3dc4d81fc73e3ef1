import type { Awaitable } from "../domain/awaitable.ts";
import {
  BODY_CUT_OFF,
  BODY_TOO_SLOW,
  Fault,
  NESTED_TOO_DEEP,
  NOT_JSON,
  NOT_UTF8,
  payloadTooLarge,
  repeatedField,
  UNSUPPORTED_MEDIA_TYPE,
} from "./faults.ts";
import { parseJson, repeatedName } from "./json.ts";

export const BODY_MAX_BYTES = 64 * 1024;

export const PAYLOAD_TOO_LARGE = payloadTooLarge(BODY_MAX_BYTES);

const JSON_TYPE = /^application\/json *(?:; *charset="?utf-8"? *)?$/i;

/** Content type, size and JSON, in this order. */
export async function readBody(request: Request, timeoutMs: number): Promise<{ readonly value: unknown } | Fault> {
  if (!JSON_TYPE.test(request.headers.get("content-type") ?? "")) return UNSUPPORTED_MEDIA_TYPE;
  const bytes = await readBytes(request, timeoutMs);
  return bytes instanceof Fault ? bytes : decode(bytes);
}

function readBytes(request: Request, timeoutMs: number): Awaitable<Uint8Array | Fault> {
  const declared = request.headers.get("content-length");
  if (declared !== null && Number(declared) > BODY_MAX_BYTES) return PAYLOAD_TOO_LARGE;
  const bytes = declared === null ? readChunks(request) : request.bytes();
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, timeoutMs, BODY_TOO_SLOW);
    const end = (result: Uint8Array | Fault) => {
      clearTimeout(timer);
      resolve(result);
    };
    bytes.then(end, () => end(BODY_CUT_OFF));
  });
}

/** Without a Content-Length, the size shows only while reading. */
async function readChunks(request: Request): Promise<Uint8Array | Fault> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > BODY_MAX_BYTES) return PAYLOAD_TOO_LARGE;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

function decode(bytes: Uint8Array): { readonly value: unknown } | Fault {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    return NOT_UTF8;
  }
  try {
    const value = parseJson(text);
    const repeated = repeatedName(text, value);
    return repeated === undefined ? { value } : repeatedField(repeated);
  } catch (error) {
    return error instanceof RangeError ? NESTED_TOO_DEEP : NOT_JSON;
  }
}
