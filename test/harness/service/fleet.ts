import type { Role } from "../../../src/domain/console-role.ts";
import { atEnd } from "../cleanup.ts";
import { temporaryFolder } from "../folder.ts";
import { type Outcome, type RunningService, run, serve } from "../program/program.ts";
import { freePort } from "../servers/port.ts";
import type { Backend } from "./service.ts";

// The executable as it runs in production: one instance on SQLite, two on PostgreSQL and Redis.

export interface IssuedKey {
  readonly id: string;
  readonly secret: string;
}

/** A response of the API. */
export interface ApiAnswer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: whatever the API says
  readonly body: any;
}

export class Fleet {
  services: readonly RunningService[] = [];
  readonly #cwd = temporaryFolder();

  private constructor(
    private readonly ports: readonly number[],
    private readonly env: Record<string, string>,
    /** Queries the database directly. */
    readonly query: (statement: string) => Promise<unknown[]>,
  ) {}

  static async start(
    backend: Pick<Backend, "newStorage" | "query">,
    settings: Record<string, string> = {},
  ): Promise<Fleet> {
    const storage = await backend.newStorage();
    const count = storage.DATABASE_URL.startsWith("postgres:") ? 2 : 1;
    const ports = await Promise.all(Array.from({ length: count }, freePort));
    // One instance has several threads; several instances have one thread each.
    const env = { ...storage, ...(count > 1 ? { THREADS: "1" } : {}), ...settings };
    const fleet = new Fleet(ports, env, (statement) => backend.query(storage, statement));
    atEnd(() => fleet.stop());
    await fleet.#start();
    return fleet;
  }

  async #start(): Promise<void> {
    const start = (port: number) => serve({ cwd: this.#cwd, env: { ...this.env, PORT: String(port) }, isKept: true });
    this.services = await Promise.all(this.ports.map(start));
  }

  /** Restarts all instances, so that their counts are in the store, and caches are empty. */
  async restart(): Promise<void> {
    await this.stop();
    await this.#start();
  }

  /** Restarts all instances while a page is open, which notices the outage. */
  async restartUnderEyes(look: () => Promise<void>): Promise<void> {
    await this.stop();
    await look();
    await this.#start();
  }

  get origins(): readonly string[] {
    return this.services.map(({ origin }) => origin);
  }

  /** Runs a command on the host of the first instance. */
  async run(...args: readonly string[]): Promise<Outcome> {
    const outcome = await run(args, {
      cwd: this.#cwd,
      env: { ...this.env, PORT: String(this.ports[0]) },
    });
    if (outcome.exitCode !== 0) throw new Error(`animal-store ${args.join(" ")}: ${outcome.err}`);
    return outcome;
  }

  /** Creates a sign-in link to the first instance. */
  async link(name = "Anna", role: Role = "operator"): Promise<string> {
    return JSON.parse((await this.run("console", "--name", name, "--role", role, "--json")).out).url;
  }

  async issueKey(name: string, ...options: readonly string[]): Promise<IssuedKey> {
    const issued = JSON.parse((await this.run("keys", "create", "--name", name, ...options, "--json")).out);
    return { id: issued.id ?? issued.key.id, secret: issued.secret };
  }

  /** Issues a key with quotas that are never reached. */
  issueBoundlessKey(name = "Storefront"): Promise<IssuedKey> {
    return this.issueKey(name, "--plan", "enterprise", "--per-minute", "1000000", "--per-day", "1000000000");
  }

  /** Calls the API: `call("POST /pets", { secret, body })`, at the last instance. */
  async call(line: string, { secret, body }: { secret: string; body?: unknown }): Promise<ApiAnswer> {
    const [method = "", path = ""] = line.split(" ");
    const headers = { Authorization: `Bearer ${secret}`, ...(body ? { "Content-Type": "application/json" } : {}) };
    const init = { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) };
    const response = await fetch(`${this.origins.at(-1)}/v1${path}`, init);
    const text = await response.text();
    return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
  }

  async stop(): Promise<void> {
    await Promise.all(this.services.map((service) => service.kill("SIGTERM")));
  }
}
