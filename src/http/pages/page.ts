import { andThen, orElse } from "../../base/time/awaitable.ts";
import type { FailureLog } from "../../telemetry/log.ts";
import type { Fault } from "../faults/fault.ts";
import { INTERNAL_ERROR, methodNotAllowed } from "../faults/faults.ts";
import { visitorFault } from "../faults/refusal-faults.ts";
import { callerAddress } from "../pipeline/caller-address.ts";
import { isRead, type PublicPage } from "../pipeline/handler.ts";
import { placeOf } from "../pipeline/request-log.ts";
import type { HeaderFields } from "../reply/header-template.ts";
import type { Reply } from "../reply/reply.ts";
import type { HandlerParts } from "../v1-handler.ts";
import { SAFE_HEADERS } from "./headers.ts";

export type PageHandlerParts = Pick<
  HandlerParts,
  "gate" | "trustedProxies" | "telemetry" | "refusals" | "refusalFlood"
>;

/** An error outside /v1 has the same shape, without the headers that only /v1 promises. */
export const publicError = ({ reply, headers }: Fault): Response => publicJson(reply.status, reply.body, headers);

export const publicJson = (status: number, body: Reply["body"], headers?: HeaderFields): Response =>
  new Response(body, {
    status,
    headers: { ...SAFE_HEADERS, "Content-Type": "application/json", "Cache-Control": "no-store", ...headers },
  });

/** Limits how often one address may request a page. */
export const limited =
  ({ gate, trustedProxies, telemetry, refusals, refusalFlood }: PageHandlerParts, page: PublicPage): PublicPage =>
  (request, server) => {
    const address = callerAddress(request, server, trustedProxies);
    return andThen(gate.admitVisitor(address), ({ kind, quotaStatus }) => {
      if (kind === "pass") return page(request, server);
      const fault = visitorFault(quotaStatus);
      const { code, status } = fault;
      telemetry.refusal(code);
      const line = () => ({ code, address, keyId: undefined, request: { ...placeOf(request), status } });
      refusals.report(code, `visitor ${address}`, line);
      return refusalFlood.bound(publicError(fault), request);
    });
  };

const ONLY_GET = methodNotAllowed("GET, HEAD");

/** A page answers GET and HEAD, to anyone. */
export function pageHandler(failures: FailureLog, page: PublicPage): PublicPage {
  const guarded = withMalfunctions(failures, page);
  return (request, server) => (isRead(request) ? guarded(request, server) : publicError(ONLY_GET));
}

/** Reports a page that fails, and answers 500. */
export const withMalfunctions =
  (failures: FailureLog, page: PublicPage): PublicPage =>
  (request, server) =>
    orElse(
      () => page(request, server),
      (error) => {
        failures.report("page failed", error, placeOf(request));
        return publicError(INTERNAL_ERROR);
      },
    );

/** The last resort: a malfunction while a response was being made. */
export const answerFailed =
  (failures: FailureLog) =>
  (error: Error): Response => {
    failures.report("response failed", error);
    return publicError(INTERNAL_ERROR);
  };
