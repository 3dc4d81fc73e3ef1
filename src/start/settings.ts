import manifest from "../../package.json" with { type: "json" };
import { type Config, consolePath, knownHostNames } from "../config.ts";
import { isEmbedded } from "../store/urls/database-url.ts";
import { REQUEST_MAX_BYTES } from "./listening/listen.ts";
import { defaultThreads } from "./threads/cores.ts";

/** Times that tests set: to wait less long, or to be sure on a busy machine. */
export interface Timeouts {
  /** The longest that a body may take to arrive. */
  readonly bodyTimeoutMs?: number | undefined;
  /** The time after which a statement to PostgreSQL has failed. */
  readonly databaseDeadlineMs?: number | undefined;
  /** The longest wait for Redis's answer to one request. */
  readonly redisAnswerTimeoutMs?: number | undefined;
  /** A stop closes idle connections when no request has arrived for this long. */
  readonly quietMs?: number | undefined;
}

export const BODY_TIMEOUT_MS = 5_000;

/** The settings that all serving threads have in common: plain data. */
export interface ServingSettings extends Timeouts {
  readonly config: Config;
  /** The number of serving threads, which divide the memory for replies. */
  readonly threads: number;
}

/**
 * PostgreSQL gets one thread unless more are asked for: each thread gathers its own batches, so more threads mean
 * smaller ones. There, each thread has at least one connection of its own.
 */
export function threadCount({ THREADS, DATABASE_URL, DATABASE_CONNECTIONS }: Config): number {
  if (isEmbedded(DATABASE_URL)) return THREADS ?? defaultThreads();
  return Math.min(THREADS ?? 1, DATABASE_CONNECTIONS);
}

export const addressSettings = ({ PUBLIC_URL, ENVIRONMENT, STAGING_URL, PRODUCTION_URL }: Config) => ({
  publicUrl: PUBLIC_URL,
  environment: ENVIRONMENT,
  otherUrl: ENVIRONMENT === "production" ? STAGING_URL : PRODUCTION_URL,
});

/** `apiOrigin`: where the API listens. */
export function consoleSettings(config: Config, apiOrigin: string, { bodyTimeoutMs = BODY_TIMEOUT_MS }: Timeouts) {
  const isApart = config.CONSOLE_PORT !== undefined;
  return {
    environment: config.ENVIRONMENT,
    version: manifest.version,
    database: config.DATABASE_URL,
    publicUrl: config.PUBLIC_URL,
    knownHostNames: knownHostNames(config),
    apiOrigin,
    base: consolePath(config),
    isApart,
    uploadMaxBytes: isApart ? undefined : REQUEST_MAX_BYTES,
    bodyTimeoutMs,
    logRequests: config.LOG_REQUESTS,
    requestDays: config.REQUEST_LOG_DAYS,
  };
}
