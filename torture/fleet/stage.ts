import { temporaryFolder } from "../../test/harness/folder.ts";
import { issueBoundlessKey, type RunningService, serve } from "../../test/harness/program/program.ts";
import { TestNginx } from "../../test/harness/servers/nginx.ts";
import { freePort } from "../../test/harness/servers/port.ts";
import { TestPostgres } from "../../test/harness/servers/postgres.ts";
import { TestProxy } from "../../test/harness/servers/proxy.ts";
import { TestRedis } from "../../test/harness/servers/redis.ts";

const INSTANCES = 4;
const RECOVERY_TIMEOUT_MS = 30_000;

/** One member of the fleet. Its process may be replaced; its address stays. */
export interface Instance {
  readonly name: string;
  readonly env: Record<string, string>;
  service: RunningService;
}

/** The fleet of deploy/: instances on one PostgreSQL and one Redis, behind nginx. */
export class FleetStage {
  private constructor(
    readonly postgres: TestPostgres,
    /** The proxy through which instances reach PostgreSQL. */
    readonly wire: TestProxy,
    /** The database's own address, bypassing the proxy. */
    readonly database: string,
    readonly redis: TestRedis,
    readonly instances: readonly Instance[],
    readonly nginx: TestNginx,
    /** The secret of a key with quotas that are never reached. */
    readonly secret: string,
    private readonly cwd: string,
  ) {}

  static async start(): Promise<FleetStage> {
    const cwd = temporaryFolder();
    const [postgres, redis] = await Promise.all([TestPostgres.start(), TestRedis.start()]);
    const database = await postgres.database();
    const wire = await TestProxy.start(postgres.port);
    const common = {
      DATABASE_URL: Object.assign(new URL(database), { port: String(wire.port) }).href,
      REDIS_URL: redis.url,
      TRUSTED_PROXIES: "127.0.0.1",
      METRICS_PORT: "0",
      LOG_LEVEL: "silent",
    };
    const secret = await issueBoundlessKey({ cwd, env: { DATABASE_URL: database } });
    const instances = await Promise.all(
      Array.from({ length: INSTANCES }, async (_, i): Promise<Instance> => {
        const env = { ...common, PORT: String(await freePort()) };
        return { name: `instance ${i + 1}`, env, service: await serve({ cwd, env }) };
      }),
    );
    const nginx = await TestNginx.start(instances.map(({ service }) => service.origin));
    return new FleetStage(postgres, wire, database, redis, instances, nginx, secret, cwd);
  }

  /** Restarts an instance as a supervisor would: until it stays up. */
  async restart(instance: Instance): Promise<void> {
    const { env } = instance;
    for (const endsAtMs = performance.now() + RECOVERY_TIMEOUT_MS; ; ) {
      try {
        instance.service = await serve({ cwd: this.cwd, env });
        return;
      } catch (error) {
        if (performance.now() > endsAtMs) throw error;
        await Bun.sleep(200);
      }
    }
  }

  /** Waits until all instances are ready and share their counts again. On a timeout, returns what is still missing. */
  async recover(): Promise<string | undefined> {
    const endsAtMs = performance.now() + RECOVERY_TIMEOUT_MS;
    for (;;) {
      const missing = (await Promise.all(this.instances.map(problemOf))).find((problem) => problem !== undefined);
      if (missing === undefined || performance.now() > endsAtMs) return missing;
      await Bun.sleep(20);
    }
  }
}

async function problemOf({ name, service }: Instance): Promise<string | undefined> {
  if (service.child.exitCode !== null || service.child.signalCode !== null) return `${name} has ended by itself`;
  const ready = await fetch(`${service.origin}/readyz`);
  if (ready.status !== 200) return `${name} is not ready: ${await ready.text()}`;
  const metrics = await fetch(/Metrics +(\S+)/.exec(service.banner)?.[1] as string);
  return /^animal_store_meter_degraded 1$/m.test(await metrics.text()) ? `${name} still counts by itself` : undefined;
}
