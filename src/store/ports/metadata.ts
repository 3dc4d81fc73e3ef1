import type { Awaitable } from "../../base/time/awaitable.ts";

/** Facts that a service records about itself, for commands on its database. */
export interface MetadataStore {
  /** Returns where the service counts requests, or undefined if no service has recorded it yet. */
  countingPlace(): Awaitable<CountingPlace | undefined>;
  /** Records where the service counts requests. */
  noteCountingPlace(place: CountingPlace): Promise<void>;
}

/** The place where requests are counted: in Redis, for all instances, or in the instance, which saves its tallies here. */
export type CountingPlace = "redis" | "database";
