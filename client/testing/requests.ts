import { cutPage, type Page } from "../../src/domain/page.ts";
import {
  type HourlyShare,
  hourOf,
  KEPT_PER_KEY,
  type KeptRequest,
  kindOf,
  leastIdAt,
  newShare,
  takes,
  timeOf,
} from "../../src/domain/usage/kept-request.ts";
import type { KeptRequestQuery, UsageStore } from "../../src/store/ports/usage.ts";
import type { RequestKeep } from "../../src/telemetry/telemetry.ts";

/** The latest requests of each key, known at once. In the service, they reach the store after some seconds. */
export class KeptRequests implements RequestKeep, Pick<UsageStore, "keptRequests"> {
  #requests: KeptRequest[] = [];
  readonly #shares = new Map<string, HourlyShare>();
  #lastId = 0n;

  wants(keyId: string, status: number, atMs: number): boolean {
    const hour = `${keyId} ${hourOf(atMs).fromMs}`;
    const share = this.#shares.get(hour) ?? newShare();
    this.#shares.set(hour, share);
    return takes(share, kindOf(status), atMs);
  }

  /** A request takes no time here. */
  keep(request: Omit<KeptRequest, "id">, atMs: number): void {
    const least = leastIdAt(Math.floor(atMs));
    this.#lastId = least > this.#lastId ? least : this.#lastId + 1n;
    this.#requests.push({ ...request, id: this.#lastId, latencyMs: 0 });
    if (this.#requests.length > KEPT_PER_KEY) this.#requests.shift();
  }

  keptRequests(query: KeptRequestQuery): Page<KeptRequest> {
    const { keyId, status, code, sinceMs = 0, untilMs = Number.POSITIVE_INFINITY, afterId, size } = query;
    const matching = this.#requests
      .filter((request) => request.keyId === keyId && (afterId === undefined || request.id < afterId))
      .filter((request) => !status || (request.status >= status.from && request.status <= status.to))
      .filter((request) => code === undefined || request.code === code)
      .filter((request) => timeOf(request) >= sinceMs && timeOf(request) < untilMs);
    return cutPage(matching.toReversed(), size);
  }
}
