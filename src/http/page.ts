import type { Fault } from "../domain/fault.ts";
import type { Fields } from "./letterhead.ts";
import { faultReply } from "./reply.ts";

/** A page outside of the interface: answers GET and HEAD to anyone. */
export type Page = () => Response | Promise<Response>;

/** An error outside of the interface: the same shape, without the headers that only /v1 promises. */
export function publicError(fault: Fault, fields: Fields = {}): Response {
  const { status, body } = faultReply(fault);
  return new Response(body, {
    status,
    headers: { "Content-Type": "application/json", "Cache-Control": "no-store", ...fields },
  });
}
