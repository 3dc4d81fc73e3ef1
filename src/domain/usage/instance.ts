import { DAY_MS, SECOND_MS } from "../../base/time/clock.ts";
import type { EnvironmentName } from "../environment.ts";

/** The health of an instance, by its own account. */
export type Health = "ready" | "counts alone" | "not ready" | "stopping";

/** The latest heartbeat of a service that runs, or ran. */
export interface Instance {
  /** Random, and new with each start. */
  readonly id: string;
  readonly host: string;
  readonly version: string;
  readonly environment: EnvironmentName;
  readonly threads: number;
  readonly startedAtMs: number;
  readonly health: Health;
  readonly seenAtMs: number;
  /** Set by a clean shutdown. */
  readonly stoppedAtMs: number | undefined;
  /** The address of its console, for everybody. Undefined: it has none. */
  readonly consoleUrl?: string | undefined;
  /** The address of its console on its own machine. */
  readonly consoleDirectUrl?: string | undefined;
}

export const HEARTBEAT_INTERVAL_MS = 10 * SECOND_MS;

/** Two heartbeats may be late, because the store is busy or clocks differ. */
export const INSTANCE_LOST_AFTER_MS = 3 * HEARTBEAT_INTERVAL_MS;

/** An instance is deleted from the store after this much silence. */
const FORGOTTEN_AFTER_MS = 7 * DAY_MS;

/** A lost instance was killed, has crashed, or cannot reach the store. */
export type InstanceState = "alive" | "stopped" | "lost";

export function stateOfInstance({ seenAtMs, stoppedAtMs }: Instance, nowMs: number): InstanceState {
  if (stoppedAtMs !== undefined) return "stopped";
  return nowMs - seenAtMs <= INSTANCE_LOST_AFTER_MS ? "alive" : "lost";
}

export const instancesForgottenBefore = (nowMs: number): number => nowMs - FORGOTTEN_AFTER_MS;
