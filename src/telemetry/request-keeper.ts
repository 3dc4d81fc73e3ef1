import { HOUR_MS } from "../base/time/clock.ts";
import { startOf } from "../domain/usage/grains.ts";
import {
  type HourlyShare,
  type KeptRequest,
  kindOf,
  leastIdAt,
  newShare,
  takes,
} from "../domain/usage/kept-request.ts";
import type { RequestKeep } from "./telemetry.ts";

/** Requests that wait to be stored: half a megabyte. */
const MAX_WAITING = 1_000;
/** Keys with requests in one hour. Those of further keys are only counted. */
const MAX_KEYS = 50_000;
/** Ids within a millisecond. */
const IDS_PER_MS = 1000;

/** Collects the requests of one thread that are kept, and forgets all others at once. */
export class RequestKeeper implements RequestKeep {
  #waiting: KeptRequest[] = [];
  /** The shares of this hour, by key. */
  readonly #shares = new Map<string, HourlyShare>();
  #hourMs = Number.NaN;
  #nextHourMs = Number.NaN;
  #lastMs = Number.NaN;
  #place = 0;

  constructor(
    private readonly maxWaiting = MAX_WAITING,
    private readonly maxKeys = MAX_KEYS,
  ) {}

  wants(keyId: string, status: number, atMs: number): boolean {
    if (this.#waiting.length >= this.maxWaiting) return false;
    // Negated, so that the first hour, which is none, is left at once.
    if (!(atMs >= this.#hourMs && atMs < this.#nextHourMs)) this.#beginHour(atMs);
    const share = this.#shares.get(keyId) ?? this.#newShare(keyId);
    return share !== undefined && takes(share, kindOf(status), atMs);
  }

  keep(request: Omit<KeptRequest, "id">, atMs: number): void {
    this.#waiting.push({ ...request, id: this.#idAt(Math.floor(atMs)) });
  }

  /** Returns and clears the requests that wait. */
  take(): KeptRequest[] {
    const waiting = this.#waiting;
    this.#waiting = [];
    return waiting;
  }

  #beginHour(atMs: number): void {
    this.#hourMs = startOf("hour", atMs);
    this.#nextHourMs = this.#hourMs + HOUR_MS;
    this.#shares.clear();
  }

  #newShare(keyId: string): HourlyShare | undefined {
    if (this.#shares.size >= this.maxKeys) return undefined;
    const share = newShare();
    this.#shares.set(keyId, share);
    return share;
  }

  /** Within a millisecond, ids begin at random: other threads and instances make some too. */
  #idAt(ms: number): bigint {
    this.#place = ms === this.#lastMs ? (this.#place + 1) % IDS_PER_MS : Math.floor(Math.random() * IDS_PER_MS);
    this.#lastMs = ms;
    return leastIdAt(ms) + BigInt(this.#place);
  }
}
