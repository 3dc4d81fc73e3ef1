import { SECOND_MS } from "../../base/time/clock.ts";
import type { Log } from "../../telemetry/log.ts";
import type { Telemetry } from "../../telemetry/telemetry.ts";
import type { Schedule } from "../jobs/schedule.ts";
import type { Listeners } from "./listen.ts";
import { type OpenFiles, openFiles } from "./open-files.ts";

/** Connections that can be limited: those of a thread. */
export type Connections = Pick<Listeners, "limit" | "renew">;

interface LimiterParts {
  readonly connections: readonly Connections[];
  readonly telemetry: Pick<Telemetry, "connectionsLimited">;
  readonly log: Pick<Log, "info" | "warn" | "error">;
}

interface ConnectionLimitParts extends LimiterParts {
  readonly schedule: Pick<Schedule, "start">;
  readonly onFailure: (error: unknown) => void;
}

/** The interval of checks while the number of open files changes, and at rest. */
const CHECK_INTERVAL_MS = 100;
const REST_INTERVAL_MS = 500;
/** After this many checks that found nothing new, the process is at rest. */
const CHECKS_UNTIL_REST = 20;
/** Fractions of the limit. The room above FULL is for connections that arrive between two checks. */
const FAR = 0.7;
const NEAR = 0.8;
const FULL = 0.95;
/** The console's thread opens 11, with what requests are relayed by; a serving thread opens 7. */
const FILES_OF_ONE_THREAD = 16;
const FILES_OF_EACH_OF_MANY = 8;
/** Connections stay limited for this long: the client that opened so many may go on. */
const CALM_MS = 2 * SECOND_MS;
const RENEWAL_INTERVAL_MS = SECOND_MS;
const WARNING =
  "the limit of open files is near: connections are closed early. Raise it (ulimit -n; LimitNOFILE for systemd, --ulimit nofile for Docker), or limit the connections of each client in a proxy";

/**
 * Keeps the number of connections below the limit of open files: at the limit, Bun could accept none any more, and
 * would use all of a CPU to try. Returns how to stop it.
 */
export function limitConnections(parts: ConnectionLimitParts, files = openFiles()): () => void {
  if (!files) return () => {};
  const limiter = new ConnectionLimiter(parts, files);
  /** Only while the number changes. */
  let timer: Timer | undefined;
  let calmChecks = 0;
  const check = (): void => {
    calmChecks = limiter.check(performance.now()) ? calmChecks + 1 : 0;
    if (calmChecks < CHECKS_UNTIL_REST) return;
    clearInterval(timer);
    timer = undefined;
  };
  const lookAtRest = async () => {
    if (timer) return;
    check();
    if (calmChecks === 0) timer = setInterval(check, CHECK_INTERVAL_MS);
  };
  const job = parts.schedule.start(REST_INTERVAL_MS, lookAtRest, parts.onFailure);
  return () => {
    clearInterval(timer);
    void job.stop();
  };
}

/**
 * Returns a check for room for so many threads below the limit of open files: without any, Bun ends the process when a
 * thread starts. Call it early: at the limit, it could not read that.
 */
export function roomForFiles(files = openFiles()): (threads?: number) => boolean {
  if (!files) return () => true;
  const { limit, count } = files;
  return (threads = 1) => {
    const needed = Math.max(FILES_OF_ONE_THREAD, threads * FILES_OF_EACH_OF_MANY);
    return count() < Math.min(limit * NEAR, limit - needed);
  };
}

export class ConnectionLimiter {
  #open = 0;
  #areLimited = false;
  #limitedUntilMs = 0;
  #wasFull = false;
  /** True: the latest renewal has failed. */
  #mustRenew = false;
  #renewableAtMs = 0;

  constructor(
    private readonly parts: LimiterParts,
    private readonly files: OpenFiles,
  ) {}

  /** Returns whether nothing has changed and nothing is limited, so that the next check can wait. */
  check(nowMs: number): boolean {
    const open = this.files.count();
    const hasChanged = open !== this.#open;
    this.#open = open;
    if (open >= this.files.limit * NEAR) {
      this.#limitedUntilMs = nowMs + CALM_MS;
      if (!this.#areLimited) this.#announce(true, open);
      this.#limit(true);
    } else if (this.#areLimited && open <= this.files.limit * FAR && nowMs >= this.#limitedUntilMs) {
      this.#limit(false);
      this.#announce(false, open);
    }
    this.#renewIfFull(nowMs);
    return !hasChanged && !this.#areLimited && !this.#mustRenew;
  }

  #limit(areLimited: boolean): void {
    for (const each of this.parts.connections) each.limit(areLimited);
  }

  /** Still full after idle connections were closed, the port is held by connections that send no request. */
  #renewIfFull(nowMs: number): void {
    const { connections, log } = this.parts;
    const isFull = this.#areLimited && this.files.count() >= this.files.limit * FULL;
    const isStillFull = isFull && this.#wasFull;
    this.#wasFull = isFull;
    if (!this.#mustRenew && (!isStillFull || nowMs < this.#renewableAtMs)) return;
    try {
      for (const each of connections) each.renew();
      this.#mustRenew = false;
      this.#renewableAtMs = nowMs + RENEWAL_INTERVAL_MS;
    } catch (error) {
      if (!this.#mustRenew) log.error({ err: error }, "could not open a port again to close connections; trying again");
      this.#mustRenew = true;
    }
  }

  #announce(areLimited: boolean, open: number): void {
    const { telemetry, log } = this.parts;
    this.#areLimited = areLimited;
    telemetry.connectionsLimited(areLimited);
    const fields = { open, limit: this.files.limit };
    if (areLimited) log.warn(fields, WARNING);
    else log.info(fields, "the limit of open files is no longer near");
  }
}
