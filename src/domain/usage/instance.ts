import { DAY_MS, SECOND_MS } from "../../base/time/clock.ts";
import type { EnvironmentName } from "../environment.ts";

/** How well an instance can do its work, by its own account. */
export const HEALTHS = ["ready", "counts alone", "not ready", "stopping"] as const;
export type Health = (typeof HEALTHS)[number];

/** One running service, or one that ran: what it last said about itself. */
export interface Instance {
  /** At random, with each start. */
  readonly id: string;
  readonly host: string;
  readonly version: string;
  readonly environment: EnvironmentName;
  readonly threads: number;
  readonly startedAtMs: number;
  readonly health: Health;
  readonly seenAtMs: number;
  /** When it stopped in good order. */
  readonly stoppedAtMs: number | undefined;
}

export const HEARTBEAT_INTERVAL_MS = 10 * SECOND_MS;

/** Two heartbeats may be missed: a store that is busy, or clocks that differ. */
const LOST_AFTER_MS = 3 * HEARTBEAT_INTERVAL_MS;

/** What has not been seen for so long is of no interest any more. */
const FORGOTTEN_AFTER_MS = 7 * DAY_MS;

/** `lost`: it was killed, has crashed, or cannot reach the store. */
export type InstanceState = "alive" | "stopped" | "lost";

export function stateOfInstance({ seenAtMs, stoppedAtMs }: Instance, nowMs: number): InstanceState {
  if (stoppedAtMs !== undefined) return "stopped";
  return nowMs - seenAtMs <= LOST_AFTER_MS ? "alive" : "lost";
}

export const instancesForgottenBefore = (nowMs: number): number => nowMs - FORGOTTEN_AFTER_MS;
