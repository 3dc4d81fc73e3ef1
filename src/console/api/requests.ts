import type { KeptRequest } from "../../domain/usage/kept-request.ts";
import type { PageView } from "./common.ts";

export interface RequestView extends Pick<KeptRequest, "method" | "path" | "status" | "requestId" | "latencyMs"> {
  readonly id: string;
  readonly atMs: number;
  /** The code and the message of an error, as the client got them. */
  readonly code: string | null;
  readonly message: string | null;
  readonly idempotencyKey: string | null;
}

/** GET /console/api/keys/{id}/requests?status=&code=&since=&until=&cursor= : the newest first. Times are in milliseconds. */
export interface RequestsView extends PageView<RequestView> {
  /** 0: no requests are kept. */
  readonly keptDays: number;
  readonly sinceMs: number;
  readonly kept: number;
  /** Requests since then that were only counted. */
  readonly leftOut: number;
  /** The error codes that there are. */
  readonly codes: readonly string[];
}

/** GET /console/api/keys/{id}/requests/{request} */
export interface RequestOfKeyView extends RequestView {
  readonly keyName: string;
}
