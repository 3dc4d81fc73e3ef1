import type { Role } from "../../../src/domain/console-role.ts";
import { LINK_LASTS_MS, newConsoleSecret } from "../../../src/domain/console-session.ts";
import { digestOf } from "../../../src/domain/keys/key.ts";
import { SIGNED } from "../rows/author.ts";
import type { TestService } from "./service.ts";

/** The options of a request from a console page. */
export interface ConsoleCallOptions {
  /** Sent as JSON, unless it is text or bytes. */
  readonly body?: unknown;
  /** Undefined removes a header. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

type ServiceWithConsole = Pick<TestService, "consoleUrl" | "withStore">;

interface LinkOptions {
  readonly name?: string;
  readonly role?: Role;
  readonly nowMs?: number;
}

/** Creates a sign-in link like the command. Returns its token. */
export async function newLink(
  { withStore }: Pick<TestService, "withStore">,
  { name = "Front desk", role = "operator", nowMs = Date.now() }: LinkOptions = {},
): Promise<string> {
  const token = newConsoleSecret();
  const link = { digest: digestOf(token), name, role, expiresAtMs: nowMs + LINK_LASTS_MS };
  await withStore(({ sessions }) => sessions.makeLink({ ...SIGNED, atMs: nowMs, ...link }));
  return token;
}

/** A browser that shows the console of a service: `call("GET /session")`. */
export class ConsoleBrowser {
  cookie: string | undefined;
  readonly origin: string;
  readonly #api: string;

  constructor({ consoleUrl }: Pick<TestService, "consoleUrl">) {
    if (consoleUrl === undefined) throw new Error("this service has no console");
    this.origin = new URL(consoleUrl).origin;
    this.#api = `${consoleUrl}api`;
  }

  call(line: string, { body, headers = {} }: ConsoleCallOptions = {}): Promise<Response> {
    const [method = "", path = ""] = line.split(" ");
    const isRaw = typeof body === "string" || body instanceof Uint8Array || body instanceof ReadableStream;
    const all = {
      ...(method === "GET" ? {} : { Origin: this.origin }),
      ...(this.cookie === undefined ? {} : { Cookie: this.cookie }),
      ...(body === undefined || isRaw ? {} : { "Content-Type": "application/json" }),
      ...headers,
    };
    const sent = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
    return fetch(`${this.#api}${path}`, {
      method,
      headers: Object.fromEntries(sent),
      ...(body === undefined ? {} : { body: isRaw ? (body as string) : JSON.stringify(body) }),
    });
  }

  /** Exchanges the token of a link, and keeps the cookie. */
  async signIn(token: string, options: ConsoleCallOptions = {}): Promise<Response> {
    const response = await this.call("POST /session", { body: { token }, ...options });
    const [cookie] = response.headers.getSetCookie();
    if (cookie !== undefined) this.cookie = cookie.split(";", 1)[0];
    return response;
  }
}

/** A browser that is signed in. */
export async function signedIn(service: ServiceWithConsole, options: LinkOptions = {}) {
  const browser = new ConsoleBrowser(service);
  const response = await browser.signIn(await newLink(service, options));
  if (response.status !== 204) throw new Error(`sign-in answered ${response.status}: ${await response.text()}`);
  return browser;
}
