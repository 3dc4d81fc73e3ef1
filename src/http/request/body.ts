import { parseJsonRecord, RECORD_MAX_BYTES } from "../../base/json/record.ts";
import { Mistake } from "../../base/mistake.ts";
import type { Awaitable } from "../../base/time/awaitable.ts";
import { Fault } from "../faults/fault.ts";
import {
  BODY_CUT_OFF,
  BODY_TOO_SLOW,
  invalidJson,
  NO_BODY,
  NOT_UTF8,
  payloadFarTooLarge,
  payloadTooLarge,
  SENDER_GONE,
  tooManyPieces,
  UNSUPPORTED_MEDIA_TYPE,
} from "../faults/faults.ts";

export const BODY_MAX_BYTES = RECORD_MAX_BYTES;
/** Each piece of a chunked body costs more than its bytes. Clients send a body of this size in a few. */
const BODY_MAX_PIECES = 64;
/** The most to read and drop of a chunked body that is too large: its sender reads the response only then. */
const DISCARDED_MAX_BYTES = 1024 * 1024;

export const PAYLOAD_TOO_LARGE = payloadTooLarge(BODY_MAX_BYTES);
const PAYLOAD_FAR_TOO_LARGE = payloadFarTooLarge(BODY_MAX_BYTES);
const TOO_MANY_PIECES = tooManyPieces(BODY_MAX_PIECES);

const NO_BYTES = /^0*$/;
const JSON_TYPE = /^application\/json *(?:; *charset="?utf-8"? *)?$/i;

/** Reads a JSON body. Checks content type, size and JSON, in this order. */
export async function readBody(request: Request, timeoutMs: number): Promise<{ readonly value: unknown } | Fault> {
  if (!JSON_TYPE.test(request.headers.get("content-type") ?? ""))
    return hasBody(request) ? UNSUPPORTED_MEDIA_TYPE : NO_BODY;
  const bytes = await readBytes(request, timeoutMs);
  if (bytes instanceof Fault) return bytes;
  await untilSenderShows();
  return request.signal.aborted ? SENDER_GONE : decode(bytes);
}

export const hasBody = ({ headers }: Request): boolean =>
  headers.has("transfer-encoding") || !NO_BYTES.test(headers.get("content-length") ?? "");

/**
 * Waits two turns of the event loop: by then Bun has closed a connection whose peer has shut it down, or sent anything
 * but a request after the body. The response would get lost, so the write must not be made. Requests share the turns.
 */
function untilSenderShows(): Promise<void> {
  senderShows ??= new Promise((resolve) => {
    setImmediate(() => {
      // A request that comes now needs two turns of its own.
      senderShows = undefined;
      setImmediate(resolve);
    });
  });
  return senderShows;
}

let senderShows: Promise<void> | undefined;

function readBytes(request: Request, timeoutMs: number): Awaitable<Uint8Array | Fault> {
  const declared = request.headers.get("content-length");
  // A header sent twice reads "5, 5". Bun drops a refused body as it arrives, and the connection stays usable.
  if (declared !== null && Number.parseInt(declared, 10) > BODY_MAX_BYTES) return PAYLOAD_TOO_LARGE;
  const bytes = declared === null ? readPieces(request) : request.bytes();
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, timeoutMs, BODY_TOO_SLOW);
    const end = (result: Uint8Array | Fault) => {
      clearTimeout(timer);
      resolve(result);
    };
    bytes.then(end, () => end(BODY_CUT_OFF));
  });
}

/** Reads a body without a Content-Length, whose size shows only while reading. */
async function readPieces({ body }: Request): Promise<Uint8Array | Fault> {
  if (!body) return new Uint8Array();
  const reader = body.getReader();
  const pieces: Uint8Array[] = [];
  let size = 0;
  for (let count = 0; count <= BODY_MAX_PIECES && size <= DISCARDED_MAX_BYTES; count++) {
    const { done, value } = await reader.read();
    if (done) return size > BODY_MAX_BYTES ? PAYLOAD_TOO_LARGE : joined(pieces, size);
    size += value.byteLength;
    if (size <= BODY_MAX_BYTES) pieces.push(value);
  }
  return size > BODY_MAX_BYTES ? PAYLOAD_FAR_TOO_LARGE : TOO_MANY_PIECES;
}

function joined(pieces: readonly Uint8Array[], size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.byteLength;
  }
  return bytes;
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

function decode(bytes: Uint8Array): { readonly value: unknown } | Fault {
  let json: string;
  try {
    json = utf8.decode(bytes);
  } catch {
    return NOT_UTF8;
  }
  const record = parseJsonRecord(json);
  return record instanceof Mistake ? invalidJson(record) : record;
}
