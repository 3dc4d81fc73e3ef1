import { type Fields, InvalidRecord } from "../../domain/fields.ts";
import { PLANS } from "../../domain/plan.ts";
import { judge, newTally, ratePolicyOfKey } from "../../domain/tally.ts";
import { PAYLOAD_TOO_LARGE } from "../body.ts";
import {
  BODY_TOO_SLOW,
  Fault,
  IDEMPOTENCY_IN_PROGRESS,
  IDEMPOTENCY_MISMATCH,
  INTERNAL_ERROR,
  invalidBody,
  MISSING_KEY,
  methodNotAllowed,
  NO_SUCH_PATH,
  NOT_JSON,
  OUTCOME_UNKNOWN,
  refusalFault,
  UNAVAILABLE,
  UNKNOWN_KEY,
  UNSUPPORTED_MEDIA_TYPE,
} from "../faults.ts";
import { INVALID_IDEMPOTENCY_KEY } from "../idempotency.ts";
import { parseJson } from "../json.ts";
import type { AnyOperation } from "../operation.ts";
import { queryNames, readQuery } from "../parameters.ts";
import type { BodyShape } from "../schema.ts";

// Which faults an operation can answer with, each as an example that was made by the code that sends it.

/** What a key on the Free plan is told when it goes past its quota, and when it is banned. */
function limitFaults(): Fault[] {
  const policy = ratePolicyOfKey(PLANS.free, undefined);
  const tally = newTally();
  const openedAtMs = Date.parse("2026-11-15T09:30:00Z");
  const faults: Fault[] = [];
  for (;;) {
    const verdict = judge(tally, policy, openedAtMs + 39_000 * Math.sign(tally.minute.used));
    if (verdict.kind === "pass") continue;
    const { kind, standing } = verdict;
    if (kind === "banned")
      return [...faults, refusalFault({ kind: "refusal", reason: { kind, isNew: true }, standing })];
    if (faults.length === 0)
      faults.push(refusalFault({ kind: "refusal", reason: { kind, strikesLeft: verdict.strikesLeft }, standing }));
  }
}

/** Responses that several operations share, by the name that the document gives them. */
export const SHARED_RESPONSES: Readonly<Record<string, readonly Fault[]>> = {
  Unauthorized: [MISSING_KEY, UNKNOWN_KEY],
  RequestTimeout: [BODY_TOO_SLOW],
  PayloadTooLarge: [PAYLOAD_TOO_LARGE],
  UnsupportedMediaType: [UNSUPPORTED_MEDIA_TYPE],
  IdempotencyMismatch: [IDEMPOTENCY_MISMATCH],
  TooManyRequests: limitFaults(),
  InternalError: [INTERNAL_ERROR],
  ServiceUnavailable: [UNAVAILABLE],
  WriteUnavailable: [UNAVAILABLE, OUTCOME_UNKNOWN],
};

/** What a request under /v1 gets that calls no operation. */
export const OUTSIDE_FAULTS: readonly Fault[] = [NO_SUCH_PATH, methodNotAllowed("GET, HEAD, POST")];

const shared = (...names: string[]): Fault[] => names.flatMap((name) => [...(SHARED_RESPONSES[name] ?? [])]);

/** Every fault of an operation. */
export function faultsOf(operation: AnyOperation): Fault[] {
  const { method, body, idempotency, deprecation, faults } = operation;
  return [
    ...shared("Unauthorized", "TooManyRequests", "InternalError"),
    ...shared(method === "GET" ? "ServiceUnavailable" : "WriteUnavailable"),
    ...(body ? [...shared("RequestTimeout", "PayloadTooLarge", "UnsupportedMediaType"), ...bodyFaults(body)] : []),
    ...parameterFaults(operation),
    ...(idempotency ? [INVALID_IDEMPOTENCY_KEY, IDEMPOTENCY_IN_PROGRESS, IDEMPOTENCY_MISMATCH] : []),
    ...(deprecation ? [deprecation.removed] : []),
    ...faults,
  ];
}

/** An unknown parameter, and an invalid value of the first one that there is. */
function parameterFaults({ parameters }: AnyOperation): Fault[] {
  const [first] = queryNames(parameters);
  const queries = ["?page=2", ...(first ? [`?${first}=none`] : [])];
  return queries.map((query) => readQuery(parameters, query, {})).filter((fault) => fault instanceof Fault);
}

/** The first example of a body with a mistake of each kind. */
function bodyFaults({ fields, parse, examples }: BodyShape<Fields>): Fault[] {
  const good = parseJson(JSON.stringify(Object.values(examples)[0])) as Record<string, unknown>;
  const [first = ""] = Object.keys(fields);
  const { [first]: _, ...incomplete } = good;
  const records = [incomplete, { ...good, [first]: "" }, { ...good, id: 42n }].map(parse);
  return [NOT_JSON, ...records.filter((record) => record instanceof InvalidRecord).map(invalidBody)];
}
