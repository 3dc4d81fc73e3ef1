import manifest from "../../package.json" with { type: "json" };
import { type Config, consolePath } from "../config.ts";
import type { Log } from "../telemetry/log.ts";
import { REQUEST_MAX_BYTES } from "./ports/listen.ts";
import { defaultThreads } from "./threads/cores.ts";

// Each part of a service gets its own excerpt of the configuration.

/** Times that tests set, so that they need not wait as long. */
export interface Timeouts {
  /** How long a body may take to arrive. */
  readonly bodyTimeoutMs?: number;
  /** How long to wait for Redis's answer to one request. */
  readonly redisAnswerTimeoutMs?: number;
  /** How long no request may have arrived before a stop closes idle connections. */
  readonly quietMs?: number;
}

const BODY_TIMEOUT_MS = 5_000;

/** The settings that all serving threads have in common: plain data. */
export type ServingSettings = ReturnType<typeof servingSettings>;

export const servingSettings = (
  config: Config,
  { bodyTimeoutMs = BODY_TIMEOUT_MS, redisAnswerTimeoutMs, quietMs }: Timeouts,
) => ({
  host: config.HOST,
  addresses: {
    publicUrl: config.PUBLIC_URL,
    environment: config.ENVIRONMENT,
    otherUrl: config.ENVIRONMENT === "production" ? config.STAGING_URL : config.PRODUCTION_URL,
  },
  /** Serving threads divide the memory for replies. */
  threads: threadCount(config),
  bodyTimeoutMs,
  anonymousPerMinute: config.ANONYMOUS_PER_MINUTE,
  trustedNetworks: config.TRUSTED_PROXIES,
  corsOrigins: config.CORS_ORIGINS,
  logRequests: config.LOG_REQUESTS,
  /** True: the console is on the same port. */
  hasConsole: config.CONSOLE && config.CONSOLE_PORT === undefined,
  redisUrl: config.REDIS_URL,
  redisAnswerTimeoutMs,
  quietMs,
  metrics: { areOn: config.METRICS_PORT !== undefined, byKey: config.METRICS_BY_KEY },
});

/**
 * PostgreSQL gets one thread unless more are asked for: each thread gathers its own batches, so more threads mean
 * smaller ones. There, each thread has at least one connection of its own.
 */
function threadCount({ THREADS, DATABASE_URL, DATABASE_CONNECTIONS }: Config): number {
  if (DATABASE_URL.kind === "sqlite") return THREADS ?? defaultThreads();
  return Math.min(THREADS ?? 1, DATABASE_CONNECTIONS);
}

export const storeOptions = (config: Config, { threads }: ServingSettings, log: Log) => ({
  connections: config.DATABASE_CONNECTIONS,
  threads,
  mayMigrate: config.MIGRATE,
  onProgress: (message: string) => log.info(message),
});

export const metricsSettings = ({ METRICS_HOST, METRICS_PORT, METRICS_BY_KEY, ENVIRONMENT }: Config) => ({
  host: METRICS_HOST,
  port: METRICS_PORT,
  byKey: METRICS_BY_KEY,
  build: { version: manifest.version, environment: ENVIRONMENT, bun: Bun.version },
});

/** `apiOrigin`: where the API listens. */
export function consoleSettings(config: Config, apiOrigin: string, { bodyTimeoutMs = BODY_TIMEOUT_MS }: Timeouts) {
  const isApart = config.CONSOLE_PORT !== undefined;
  return {
    environment: config.ENVIRONMENT,
    version: manifest.version,
    database: config.DATABASE_URL,
    publicUrl: config.PUBLIC_URL,
    apiOrigin,
    base: consolePath(config),
    isApart,
    uploadMaxBytes: isApart ? undefined : REQUEST_MAX_BYTES,
    bodyTimeoutMs,
    logRequests: config.LOG_REQUESTS,
  };
}
