import { temporaryFolder } from "../../test/harness/folder.ts";
import { issueBoundlessKey, type RunningService, serve } from "../../test/harness/program/program.ts";
import type { Scoreboard } from "../common/scoreboard.ts";
import { FIGURES } from "./row.ts";

const RECOVERY_TIMEOUT_MS = 30_000;
const LOOK_EVERY_MS = 20;

/** An instance may log nothing but outages. */
const OUTAGE = /^$|StoreUnavailable|counts .* by itself/;

interface Instance {
  readonly origin: string;
  readonly env: Record<string, string>;
  service: RunningService;
  /** True if it was ended on purpose, and its successor is not up yet. */
  isReplaced: boolean;
}

export interface InstancesOptions {
  readonly count: number;
  /** The settings of all instances. */
  readonly env: Record<string, string>;
  /** The database's address for commands, which does not fail. */
  readonly database: string;
}

/** Several instances without a proxy in front, and a supervisor that restarts those that end. */
export class Instances {
  #isOver = false;
  #next = 0;

  private constructor(
    private readonly all: readonly Instance[],
    /** The secret of a key with quotas that are never reached. */
    readonly secret: string,
    private readonly board: Scoreboard,
    private readonly cwd: string,
  ) {}

  static async start(board: Scoreboard, { count, env, database }: InstancesOptions): Promise<Instances> {
    const cwd = temporaryFolder();
    const secret = await issueBoundlessKey({ cwd, env: { DATABASE_URL: database } });
    const all = await Promise.all(
      Array.from({ length: count }, async (): Promise<Instance> => {
        const common = { LOG_LEVEL: "error", ...env };
        const service = await serve({ cwd, env: common });
        const { origin } = service;
        // Its successors reuse its port.
        return { origin, env: { ...common, PORT: new URL(origin).port }, service, isReplaced: false };
      }),
    );
    const instances = new Instances(all, secret, board, cwd);
    for (const instance of all) void instances.#supervise(instance);
    return instances;
  }

  get count(): number {
    return this.all.length;
  }

  get services(): readonly RunningService[] {
    return this.all.map(({ service }) => service);
  }

  /** Round-robin. */
  nextOrigin(): string {
    return (this.all[this.#next++ % this.all.length] as Instance).origin;
  }

  /** Kills an instance with SIGKILL, and starts another in its place. */
  async replace(index: number): Promise<void> {
    const instance = this.all[index] as Instance;
    instance.isReplaced = true;
    await instance.service.kill("SIGKILL");
    await this.#restart(instance);
    instance.isReplaced = false;
  }

  async #supervise(instance: Instance): Promise<void> {
    while (!this.#isOver) {
      await Bun.sleep(LOOK_EVERY_MS);
      const { child } = instance.service;
      if (instance.isReplaced || this.#isOver || (child.exitCode === null && child.signalCode === null)) continue;
      this.board.count(FIGURES.ended);
      const lastWords = instance.service.logged().trim().slice(-400);
      this.board.violation(`an instance ended by itself (${child.exitCode ?? child.signalCode}): ${lastWords}`);
      await this.#restart(instance);
    }
  }

  /** Restarts an instance as a supervisor would: until it stays up. */
  async #restart(instance: Instance): Promise<void> {
    while (!this.#isOver) {
      try {
        instance.service = await serve({ cwd: this.cwd, env: instance.env });
        return;
      } catch {
        await Bun.sleep(100);
      }
    }
  }

  /** Waits until all instances are ready. */
  async recover(): Promise<void> {
    const endsAtMs = performance.now() + RECOVERY_TIMEOUT_MS;
    for (const { origin } of this.all)
      for (;;) {
        const ready = await fetch(`${origin}/readyz`).catch(() => undefined);
        if (ready?.status === 200) break;
        if (performance.now() > endsAtMs) {
          const text = ready ? `${ready.status} ${await ready.text()}` : "not there";
          return this.board.violation(`an instance was not ready again after ${RECOVERY_TIMEOUT_MS} ms: ${text}`);
        }
        await Bun.sleep(LOOK_EVERY_MS);
      }
  }

  /** Ends all instances. Anything in their logs that is not about an outage is a violation. */
  async end(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.all.map(({ service }) => service.kill("SIGKILL")));
    for (const { service } of this.all)
      for (const line of service.logged().split("\n"))
        this.board.check(OUTAGE.test(line), () => `an instance logged: ${line}`);
  }
}
