import type { Clock } from "../../domain/clock.ts";
import type { Meter } from "../meter.ts";
import { connectRedis, trackConnectionError, whenReady } from "./client.ts";
import { RedisMeter } from "./meter.ts";

export interface RedisMeterSettings {
  readonly urls: readonly string[];
  readonly clock: Clock;
  readonly scriptClock: Clock | undefined;
  readonly fallback: Meter;
  /** How long to wait for Redis; absent: the default. */
  readonly connectTimeoutMs: number | undefined;
  readonly answerTimeoutMs: number | undefined;
  readonly onDegraded: (isDegraded: boolean, error?: unknown) => void;
}

/** A meter on Redis, connected if Redis answers now, and degraded until it does. */
export async function openRedisMeter(settings: RedisMeterSettings): Promise<RedisMeter> {
  const { urls, connectTimeoutMs, onDegraded, ...parts } = settings;
  const client = connectRedis(urls);
  const connectionError = trackConnectionError(client);
  await whenReady(client, connectTimeoutMs);
  return new RedisMeter({
    ...parts,
    client,
    onDegraded: (isDegraded, error) => onDegraded(isDegraded, explain(error, connectionError())),
  });
}

/** A command that fails for want of a connection does not say why there is none; the connection's error does. */
const explain = (error: unknown, connectionError: Error | undefined): unknown =>
  error instanceof Error && connectionError ? new Error(error.message, { cause: connectionError }) : error;
