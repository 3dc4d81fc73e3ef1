import type { z } from "zod";
import type { Awaitable } from "../domain/awaitable.ts";
import { Fault } from "../domain/fault.ts";
import { parseJson, repeatedName } from "./json.ts";
import { NO_PARAMETERS, quote, readQuery } from "./query.ts";

export const BODY_MAX_BYTES = 64 * 1024;

const JSON_TYPE = /^application\/json *(?:; *charset="?utf-8"? *)?$/i;

export const WRONG_TYPE = new Fault(
  "unsupported_media_type",
  "The body must be JSON. Send it with Content-Type: application/json.",
);
export const TOO_LARGE = new Fault(
  "payload_too_large",
  `The body is larger than ${BODY_MAX_BYTES} bytes. Send a smaller one.`,
);
export const TOO_SLOW = new Fault(
  "request_timeout",
  "The body took too long to arrive. Send it again, all of it at once.",
);
const CUT_OFF = new Fault("invalid_json", "The body ended before it was complete. Send it again.");
const NOT_UTF8 = new Fault("invalid_json", "The body is not encoded in UTF-8. Send it as UTF-8.");
export const NOT_JSON = new Fault("invalid_json", "The body is not valid JSON. Send one JSON object.");
const TOO_DEEP = new Fault("invalid_json", "The body is nested too deep. Send one flat JSON object.");

/**
 * Type, size, JSON, values: reads a body that a schema describes, or says what is wrong with it.
 * Operations with a body have no query.
 */
export async function readBody<Name extends BodyName>(
  request: Request,
  name: Name,
  deadlineMs: number,
): Promise<z.output<Contract[Name]> | Fault> {
  if (!JSON_TYPE.test(request.headers.get("content-type") ?? "")) return WRONG_TYPE;
  const bytes = await readBytes(request, deadlineMs);
  if (bytes instanceof Fault) return bytes;
  const json = decode(bytes);
  if (json instanceof Fault) return json;
  const { [name]: schema } = contract ?? (await loadContract());
  const parsed = schema.safeParse(json.value);
  if (!parsed.success) return faultOf(parsed.error.issues, json.value);
  const query = readQuery(request.url, NO_PARAMETERS);
  return query instanceof Fault ? query : (parsed.data as z.output<Contract[Name]>);
}

type Contract = typeof import("./contract.ts");
type BodyName = "NewPet" | "NewOrder" | "OrderUpdate";

let contract: Contract | undefined;

/** The schemas take longer to load than a service to start, which needs none for its first answers. */
export async function loadContract(): Promise<Contract> {
  contract ??= await import("./contract.ts");
  return contract;
}

function readBytes(request: Request, deadlineMs: number): Awaitable<Uint8Array | Fault> {
  const declared = request.headers.get("content-length");
  if (declared !== null && Number(declared) > BODY_MAX_BYTES) return TOO_LARGE;
  const bytes = declared === null ? readChunks(request) : request.bytes();
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, deadlineMs, TOO_SLOW);
    const end = (result: Uint8Array | Fault) => {
      clearTimeout(timer);
      resolve(result);
    };
    bytes.then(end, () => end(CUT_OFF));
  });
}

/** Without a Content-Length the size shows only while reading. */
async function readChunks(request: Request): Promise<Uint8Array | Fault> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > BODY_MAX_BYTES) return TOO_LARGE;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

function decode(bytes: Uint8Array): { value: unknown } | Fault {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    return NOT_UTF8;
  }
  try {
    const value = parseJson(text);
    const repeated = repeatedName(text, value);
    return repeated === undefined
      ? { value }
      : new Fault("invalid_json", `${quote(repeated)} stands in the body more than once. Send it once.`);
  } catch (error) {
    return error instanceof RangeError ? TOO_DEEP : NOT_JSON;
  }
}

/** All mistakes in one message; the code is that of the first. */
function faultOf(issues: readonly z.core.$ZodIssue[], body: unknown): Fault {
  const faults = issues.map((issue) => faultOfIssue(issue, body));
  const code = faults[0]?.code ?? "invalid_value";
  return new Fault(code, faults.map((fault) => fault.message).join(" "));
}

function faultOfIssue(issue: z.core.$ZodIssue, body: unknown): Fault {
  const field = issue.path[0];
  if (issue.code === "unrecognized_keys") {
    const [first = "", ...others] = issue.keys;
    const more = others.length > 0 ? ` and ${others.length} more` : "";
    const reason = first === "id" ? "is assigned by the service" : "is not a field of this body";
    return new Fault("unknown_field", `${quote(first)}${more} ${reason}. Remove it.`);
  }
  if (field === undefined) return new Fault("invalid_value", `The body ${issue.message}.`);
  if (!Object.hasOwn(body as object, field))
    return new Fault("missing_field", `"${String(field)}" is missing. Add it to the body.`);
  return new Fault("invalid_value", `"${String(field)}" ${issue.message}.`);
}
