import { type Fields, InvalidRecord } from "../../base/json/fields.ts";
import { parseJson } from "../../base/json/json.ts";
import { PLANS } from "../../domain/keys/plan.ts";
import { RIGHTS, type Right } from "../../domain/keys/scope.ts";
import { judge, newTally, ratePolicyOfKey } from "../../domain/limits/tally.ts";
import type { AnyOperation } from "../declare/operation.ts";
import { hasPathParameter, type Parameter, queryNames, readQuery } from "../declare/parameters.ts";
import type { BodyShape } from "../declare/schema.ts";
import { Fault } from "../faults/fault.ts";
import {
  BODY_TOO_SLOW,
  IDEMPOTENCY_IN_PROGRESS,
  IDEMPOTENCY_MISMATCH,
  INTERNAL_ERROR,
  invalidBody,
  methodNotAllowed,
  NO_BODY,
  NO_SUCH_PATH,
  NOT_JSON,
  OUTCOME_UNKNOWN,
  PRECONDITION_FAILED,
  UNAVAILABLE,
  UNSUPPORTED_MEDIA_TYPE,
} from "../faults/faults.ts";
import { insufficientScope, MISSING_KEY, refusalFault, UNKNOWN_KEY } from "../faults/refusal-faults.ts";
import { PAYLOAD_TOO_LARGE } from "../request/body.ts";
import { INVALID_CONDITIONS, isConditional } from "../request/conditions.ts";
import { INVALID_IDEMPOTENCY_KEY } from "../request/idempotency.ts";

// The faults of each operation, as examples that are made by the code that sends them.

/** The faults of a key on the Free plan that exceeds its quota, and that is banned. */
function limitFaults(): Fault[] {
  const policy = ratePolicyOfKey(PLANS.free, undefined);
  const tally = newTally();
  const openedAtMs = Date.parse("2026-11-15T09:30:00Z");
  const faults: Fault[] = [];
  for (;;) {
    const verdict = judge(tally, policy, openedAtMs + 39_000 * Math.sign(tally.minute.used));
    if (verdict.kind === "pass") continue;
    const { kind, quotaStatus } = verdict;
    if (kind === "banned")
      return [...faults, refusalFault({ kind: "refusal", reason: { kind, isNew: true }, quotaStatus })];
    if (faults.length === 0)
      faults.push(refusalFault({ kind: "refusal", reason: { kind, strikesLeft: verdict.strikesLeft }, quotaStatus }));
  }
}

/** `NeedsPetsRead`. */
const nameOf = (right: Right): string => `Needs:${right}`.replaceAll(/:(\w)/g, (_, letter) => letter.toUpperCase());

/** Responses that several operations share, by the name that the document gives them. */
export const SHARED_RESPONSES: Readonly<Record<string, readonly Fault[]>> = {
  Unauthorized: [MISSING_KEY, UNKNOWN_KEY],
  ...Object.fromEntries(RIGHTS.map((right) => [nameOf(right), [insufficientScope(right)]])),
  RequestTimeout: [BODY_TOO_SLOW],
  PayloadTooLarge: [PAYLOAD_TOO_LARGE],
  UnsupportedMediaType: [UNSUPPORTED_MEDIA_TYPE, NO_BODY],
  IdempotencyMismatch: [IDEMPOTENCY_MISMATCH],
  PreconditionFailed: [PRECONDITION_FAILED],
  TooManyRequests: limitFaults(),
  InternalError: [INTERNAL_ERROR],
  ServiceUnavailable: [UNAVAILABLE],
  WriteUnavailable: [UNAVAILABLE, OUTCOME_UNKNOWN],
};

/** The faults of requests under /v1 that call no operation. */
export const OUTSIDE_FAULTS: readonly Fault[] = [NO_SUCH_PATH, methodNotAllowed("GET, HEAD, POST")];

const shared = (...names: string[]): Fault[] => names.flatMap((name) => [...(SHARED_RESPONSES[name] ?? [])]);

/** Every fault of an operation. */
export function faultsOf(operation: AnyOperation): Fault[] {
  const { method, scope, parameters, body, isBodyOptional, idempotency, deprecation, faults = [] } = operation;
  const all = [
    ...shared("Unauthorized", "TooManyRequests", "InternalError"),
    ...(scope ? shared(nameOf(scope)) : []),
    ...shared(method === "GET" ? "ServiceUnavailable" : "WriteUnavailable"),
    ...(body
      ? [
          ...shared("RequestTimeout", "PayloadTooLarge"),
          ...(isBodyOptional ? [UNSUPPORTED_MEDIA_TYPE] : shared("UnsupportedMediaType")),
          ...bodyFaults(body, hasPathParameter(parameters)),
        ]
      : []),
    ...parameterFaults(operation),
    ...(idempotency ? [INVALID_IDEMPOTENCY_KEY, IDEMPOTENCY_IN_PROGRESS, IDEMPOTENCY_MISMATCH] : []),
    ...(isConditional(method) ? [...INVALID_CONDITIONS, PRECONDITION_FAILED] : []),
    ...(deprecation ? [deprecation.removed] : []),
    ...Object.values<Parameter<unknown>>(parameters).flatMap((each) => (each.in === "path" ? [each.notFound] : [])),
    ...faults,
  ];
  return [...new Set(all)];
}

/** An unknown parameter, and an invalid value of the first known one. */
function parameterFaults({ parameters }: AnyOperation): Fault[] {
  const [first] = queryNames(parameters);
  const queries = ["?page=2", ...(first ? [`?${first}=none`] : [])];
  return queries.map((query) => readQuery(parameters, query, {})).filter((fault) => fault instanceof Fault);
}

/** The first example of a body with a mistake of each kind. */
function bodyFaults({ fields, parse, examples }: BodyShape<Fields>, hasIdInPath: boolean): Fault[] {
  const good = parseJson(JSON.stringify(Object.values(examples)[0])) as Record<string, unknown>;
  const [first = ""] = Object.keys(fields);
  const { [first]: _, ...incomplete } = good;
  const records = [incomplete, { ...good, [first]: "" }, { ...good, id: 42n }].map(parse);
  const invalid = records.filter((record) => record instanceof InvalidRecord);
  return [NOT_JSON, ...invalid.map((record) => invalidBody(record, hasIdInPath))];
}
