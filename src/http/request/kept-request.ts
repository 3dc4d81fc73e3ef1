import { withoutSecrets } from "../../base/text/redact.ts";
import { cutMessage, type KeptRequest } from "../../domain/usage/kept-request.ts";
import { Fault, type Outcome } from "../faults/fault.ts";
import { loggedPath } from "../pipeline/request-id.ts";
import { readIdempotencyKey } from "./idempotency.ts";

interface Asked {
  readonly request: Request;
  readonly requestId: string;
  /** True: an Idempotency-Key has a meaning. */
  readonly isWrite: boolean;
}

interface Answered {
  readonly outcome: Outcome;
  readonly status: number;
  readonly tookMs: number;
}

/** Returns the record of a request: it has nothing of its query, body or sender, and no secret wherever one was put. */
export function keptRequest(
  { request, requestId, isWrite }: Asked,
  keyId: string,
  { outcome, status, tookMs }: Answered,
): Omit<KeptRequest, "id"> {
  const { code, message } = outcome instanceof Fault ? outcome : NO_ERROR;
  const idempotencyKey = isWrite ? readIdempotencyKey(request.headers.get("idempotency-key")) : undefined;
  return {
    keyId,
    method: request.method,
    path: storable(loggedPath(request.url)),
    status,
    code,
    message: message && storable(cutMessage(withoutSecrets(message))),
    requestId,
    idempotencyKey: typeof idempotencyKey === "string" ? withoutSecrets(idempotencyKey) : undefined,
    latencyMs: Math.round(tookMs * 1e3) / 1e3,
  };
}

const NO_ERROR = { code: undefined, message: undefined };

/** PostgreSQL stores neither U+0000 nor half a character. */
const storable = (text: string): string => text.toWellFormed().replaceAll("\0", "\ufffd");
