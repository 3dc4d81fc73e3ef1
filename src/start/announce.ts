import { isLoopback } from "../base/system/reachable-host.ts";
import type { Config } from "../config.ts";
import { displayName, isEmbedded } from "../store/urls/database-url.ts";
import type { Log } from "../telemetry/log.ts";

/** Logs what was started, and settings that are valid but rarely what was meant. */
export function announceStart(config: Config, url: string, log: Log): void {
  const { ENVIRONMENT, HOST, PUBLIC_URL, DATABASE_URL, REDIS_URL } = config;
  if (!isEmbedded(DATABASE_URL) && !REDIS_URL)
    log.warn("REDIS_URL is not set: this instance counts requests by itself. More than one instance needs Redis.");
  if (PUBLIC_URL === undefined && !isLoopback(HOST))
    log.warn(
      { host: HOST },
      "PUBLIC_URL is not set: links lead to the host that each request names. Set it to the base address that clients use, such as https://api.example.com/v1",
    );
  // In staging, every line of the log has the environment.
  const environment = ENVIRONMENT === "production" ? { environment: ENVIRONMENT } : {};
  log.info({ ...environment, url, publicUrl: PUBLIC_URL, database: displayName(DATABASE_URL) }, "started");
}
