import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Subprocess } from "bun";
import { atEnd } from "../cleanup.ts";
import { temporaryFolder } from "../folder.ts";
import { freePort, isListening } from "./port.ts";

/** No npm package ships nginx, so its tests are skipped by name where it is not installed. */
export const hasNginx = Bun.which("nginx") !== null;

export const DEPLOYED = join(import.meta.dir, "../../../deploy/nginx");

/** The parameters of these lines are kept, so all lines must have the same. */
const INSTANCE_LINES = /(?: {2}server [^ ;]+( [^;]*)?;\n)+/;

export interface NginxOptions {
  /** A configuration from the documentation, instead of server.conf and upstream.conf. */
  readonly site?: string;
  /** Changes to the text of the files, such as shorter timeouts. */
  readonly replace?: Readonly<Record<string, string>>;
  /** Additional files by path. */
  readonly files?: Readonly<Record<string, string>>;
}

/** A real nginx with the files of deploy/nginx, in which only the addresses differ. */
export class TestNginx {
  #process: Subprocess | undefined;

  private constructor(
    readonly port: number,
    private readonly folder: string,
    private readonly options: NginxOptions,
  ) {}

  get origin(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  static async start(instances: readonly string[], options: NginxOptions = {}): Promise<TestNginx> {
    const nginx = new TestNginx(await freePort(), temporaryFolder(), options);
    nginx.#writeFiles();
    nginx.route(instances);
    await nginx.#start();
    atEnd(() => nginx.stop());
    return nginx;
  }

  /** Sets the origins of the instances, and which one is down; takes effect with reload(). */
  route(instances: readonly string[], down?: string): void {
    const file = this.options.site === undefined ? "upstream.conf" : "site.conf";
    const original = this.options.site ?? readFileSync(join(DEPLOYED, "upstream.conf"), "utf8");
    const routed = original.replace(INSTANCE_LINES, (_, parameters = "") =>
      instances
        .map((origin) => `  server ${new URL(origin).host}${parameters}${origin === down ? " down" : ""};\n`)
        .join(""),
    );
    if (routed === original) throw new Error(`${file} has no lines of instances`);
    writeFileSync(join(this.folder, "conf.d", file), this.#local(routed));
  }

  /** Resolves once the new workers accept connections; the old ones finish their requests. */
  async reload(): Promise<void> {
    const before = this.#workers();
    const { success, stderr } = Bun.spawnSync([...this.#command(), "-s", "reload"], { stderr: "pipe" });
    if (!success) throw new Error(stderr.toString());
    while (!this.#workers().some((pid) => !before.includes(pid))) await Bun.sleep(5);
  }

  async stop(): Promise<void> {
    this.#process?.kill("SIGTERM");
    await this.#process?.exited;
    this.#process = undefined;
  }

  errorLog(): string {
    return readFileSync(join(this.folder, "error.log"), "utf8");
  }

  #writeFiles(): void {
    const target = join(this.folder, "conf.d");
    mkdirSync(target);
    cpSync(DEPLOYED, target, { recursive: true });
    const files = ["errors.conf", "snippets/animal-store.conf", "server.conf"];
    for (const file of files) {
      const isReplaced = this.options.site !== undefined && file === "server.conf";
      const text = isReplaced ? "" : this.#local(readFileSync(join(DEPLOYED, file), "utf8"));
      writeFileSync(join(target, file), text);
    }
    for (const [file, text] of Object.entries(this.options.files ?? {}))
      writeFileSync(join(target, file), this.#local(text));
    if (this.options.site !== undefined) writeFileSync(join(target, "upstream.conf"), "");
    const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
      (name) => `${name}_temp_path ${this.folder}/${name};`,
    );
    writeFileSync(
      join(this.folder, "nginx.conf"),
      [
        "daemon off;",
        process.getuid?.() === 0 ? "user root;" : "",
        "worker_processes 2;",
        `pid ${this.folder}/nginx.pid;`,
        `error_log ${this.folder}/error.log;`,
        "events { worker_connections 4096; }",
        `http { access_log off; ${temporary.join(" ")} include conf.d/*.conf; }`,
      ].join("\n"),
    );
  }

  /** Listens on localhost, without a certificate. */
  #local(text: string): string {
    const local = text
      .replace(/listen (?:8080|443 ssl)( default_server)?;/, `listen 127.0.0.1:${this.port}$1;`)
      .replace(/^ *ssl_.*\n/gm, "");
    return Object.entries(this.options.replace ?? {}).reduce((all, [from, to]) => all.replaceAll(from, to), local);
  }

  #command(): string[] {
    return ["nginx", "-c", join(this.folder, "nginx.conf"), "-p", this.folder];
  }

  async #start(): Promise<void> {
    const child = Bun.spawn(this.#command(), { stdout: "ignore", stderr: "pipe" });
    this.#process = child;
    while (!(await isListening(this.port))) {
      if (child.exitCode !== null) throw new Error(await new Response(child.stderr).text());
      await Bun.sleep(10);
    }
  }

  #workers(): number[] {
    const { pid } = this.#process as Subprocess;
    return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);
  }
}
