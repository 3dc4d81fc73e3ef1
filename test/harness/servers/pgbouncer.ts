import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Subprocess } from "bun";
import { atEnd } from "../cleanup.ts";
import { temporaryFolder } from "../folder.ts";
import { freePort } from "./port.ts";
import { asServer, withSql } from "./postgres.ts";

/** No npm package ships PgBouncer, so its tests are skipped by name where it is not installed. */
export const hasPgbouncer = Bun.which("pgbouncer") !== null;

export type PoolMode = "transaction" | "session";

/** A real PgBouncer in front of one database, which can be stopped, paused and restarted. */
export class TestPgbouncer {
  #process: Subprocess | undefined;

  private constructor(
    readonly port: number,
    private readonly database: URL,
    private readonly configuration: string,
  ) {}

  /** The address of the database through PgBouncer. */
  get url(): string {
    const url = new URL(this.database);
    url.host = `127.0.0.1:${this.port}`;
    return url.href;
  }

  static async start(database: string, mode: PoolMode, more: readonly string[] = []): Promise<TestPgbouncer> {
    const folder = temporaryFolder();
    chmodSync(folder, 0o755);
    const port = await freePort();
    const url = new URL(database);
    const users = join(folder, "users.txt");
    const configuration = join(folder, "pgbouncer.ini");
    const settings = [
      "[databases]",
      `* = host=127.0.0.1 port=${url.port}`,
      "[pgbouncer]",
      "listen_addr = 127.0.0.1",
      `listen_port = ${port}`,
      "unix_socket_dir =",
      "auth_type = trust",
      `auth_file = ${users}`,
      `pool_mode = ${mode}`,
      "default_pool_size = 60",
      "max_client_conn = 500",
      // By default it would refuse everyone for 15 s after PostgreSQL was unreachable.
      "server_login_retry = 1",
      ...more,
    ];
    writeFileSync(users, `"${url.username}" ""\n`);
    writeFileSync(configuration, `${settings.join("\n")}\n`);
    const bouncer = new TestPgbouncer(port, url, configuration);
    await bouncer.start();
    atEnd(() => bouncer.stop());
    return bouncer;
  }

  async start(): Promise<void> {
    this.#process = Bun.spawn([...asServer, "pgbouncer", "-q", this.configuration], {
      cwd: "/",
      stdout: "ignore",
      stderr: "ignore",
    });
    await this.whenReady();
  }

  /** Resolves once a statement reaches PostgreSQL. */
  async whenReady(): Promise<void> {
    for (let tries = 0; ; tries++) {
      try {
        await withSql(this.url, (sql) => sql.unsafe("SELECT 1").simple());
        return;
      } catch (error) {
        if (tries > 200) throw error;
        await Bun.sleep(20);
      }
    }
  }

  /** Stops immediately, cutting off clients and transactions. */
  async stop(): Promise<void> {
    this.#process?.kill("SIGKILL");
    await this.#process?.exited;
    this.#process = undefined;
  }
}
