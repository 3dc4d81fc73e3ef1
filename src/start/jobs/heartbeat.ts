import { hostname } from "node:os";
import type { Clock } from "../../base/time/clock.ts";
import { HEARTBEAT_INTERVAL_MS, type Health, type Instance } from "../../domain/usage/instance.ts";
import type { Store } from "../../store/ports/store.ts";

type OwnFacts = Pick<Instance, "version" | "environment" | "threads" | "consoleUrl" | "consoleDirectUrl">;

interface HeartbeatParts extends OwnFacts {
  readonly store: Pick<Store, "instances" | "isReadOnly">;
  readonly clock: Clock;
  readonly serving: { isReady(): Promise<boolean>; countsAlone(): boolean };
}

/** Records in the store that this instance is alive, and its health. */
export class Heartbeat {
  readonly #instance: Omit<Instance, "health" | "seenAtMs" | "stoppedAtMs">;
  #last: { readonly atMs: number; readonly health: Health } | undefined;

  constructor(private readonly parts: HeartbeatParts) {
    const { clock, version, environment, threads, consoleUrl, consoleDirectUrl } = parts;
    this.#instance = {
      id: crypto.randomUUID().slice(0, 8),
      host: hostname(),
      version,
      environment,
      threads,
      startedAtMs: clock.nowMs(),
      consoleUrl,
      consoleDirectUrl,
    };
  }

  /** Call it often: a change of health is recorded at once, an unchanged one every HEARTBEAT_INTERVAL_MS. */
  async beat(): Promise<void> {
    const health = await this.#health();
    const atMs = this.parts.clock.nowMs();
    const isDue = !this.#last || Math.abs(atMs - this.#last.atMs) >= HEARTBEAT_INTERVAL_MS;
    if (!isDue && this.#last?.health === health) return;
    await this.#note(health, atMs, undefined);
    this.#last = { atMs, health };
  }

  /** Records a clean shutdown. */
  async stop(): Promise<void> {
    const atMs = this.parts.clock.nowMs();
    await this.#note("stopping", atMs, atMs);
  }

  async #note(health: Health, seenAtMs: number, stoppedAtMs: number | undefined): Promise<void> {
    const { store } = this.parts;
    if (!store.isReadOnly()) await store.instances.note({ ...this.#instance, health, seenAtMs, stoppedAtMs });
  }

  async #health(): Promise<Health> {
    const { serving } = this.parts;
    if (!(await serving.isReady())) return "not ready";
    return serving.countsAlone() ? "counts alone" : "ready";
  }
}
