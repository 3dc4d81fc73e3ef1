import { REAL_CLOCK } from "./clock.ts";
import { atLeast, checkFunctions, mistake } from "./mistake.ts";
import type { AnimalStoreOptions, CallOptions, ClientClock } from "./options.ts";
import { VERSION } from "./version.ts";

/** The limits of one call in time and attempts. */
export type Patience = { readonly [Name in "timeoutMs" | "retries" | "maxWaitMs"]: number };

/** The client's options, validated and with defaults filled in. */
export interface Settings extends Patience {
  readonly baseUrl: string;
  /** The value of the next attempt's Authorization header. */
  readonly authorization: () => string | Promise<string>;
  readonly pacing: boolean;
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  /** Header names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly clock: ClientClock;
}

/** Throws a TypeError that names the invalid option, without ever showing the key. */
export function settingsOf(options: AnimalStoreOptions): Settings {
  const { pacing = true, clock = REAL_CLOCK } = options;
  // In browsers, the global fetch throws when it is called as a method of another object.
  const { fetch: send = (url, init) => fetch(url, init) } = options;
  checkFunctions(options);
  if (typeof pacing !== "boolean") throw mistake("pacing", pacing, "It must be a boolean");
  return {
    ...patienceOf(options, { timeoutMs: 30_000, retries: 4, maxWaitMs: 120_000 }),
    baseUrl: baseUrlOf(options.baseUrl ?? environment("URL")),
    authorization: authorizationOf(options.apiKey ?? environment("KEY")),
    pacing,
    fetch: send,
    headers: headersOf(options.headers, `${options.userAgent ?? ""} animal-store-client/${VERSION}`),
    clock,
  };
}

/** Takes each limit from the options, or else from the defaults. */
export function patienceOf(options: CallOptions, defaults: Patience): Patience {
  return {
    timeoutMs: atLeast(1, "timeoutMs", options.timeoutMs ?? defaults.timeoutMs),
    retries: atLeast(0, "retries", options.retries ?? defaults.retries),
    maxWaitMs: atLeast(0, "maxWaitMs", options.maxWaitMs ?? defaults.maxWaitMs),
  };
}

/** Validates a header's value: fetch would report an invalid one as a failed connection. */
export function headerText(value: string, option: string): string {
  if (/^[ -~]+$/.test(value)) return value;
  throw unsendable(option);
}

const unsendable = (option: string): TypeError => new TypeError(`${option} must be printable ASCII.`);

const unusable = (option: string, given: string, variable: string, remedy: string): TypeError =>
  new TypeError(`${option} is ${given ? "wrong" : "missing"}. Pass ${remedy}, or set ANIMAL_STORE_${variable}.`);

function baseUrlOf(text = ""): string {
  const url = URL.canParse(text) ? new URL(text).href.replace(/\/+$/, "") : "";
  // An @ would mean credentials in the URL.
  if (/^https?:[^?#@]+\/v1$/.test(url)) return url;
  throw unusable("baseUrl", text, "URL", "one that ends in /v1, without password or query");
}

function authorizationOf(apiKey: AnimalStoreOptions["apiKey"]): Settings["authorization"] {
  if (typeof apiKey === "function") return async () => bearer(await apiKey());
  const authorization = bearer(apiKey);
  return () => authorization;
}

/** Trims the line break of a secret read from a file. Checked here, because fetch's own error would show the secret. */
function bearer(given: string | undefined): string {
  const secret = typeof given === "string" ? given.trim() : "";
  if (/^[!-~]+$/.test(secret)) return `Bearer ${secret}`;
  throw unusable("apiKey", secret, "KEY", "a key's secret alone");
}

/** Its errors leave out the values, which may be secrets. */
export function headersOf(
  headers: AnimalStoreOptions["headers"],
  userAgent?: AnimalStoreOptions["userAgent"],
): Record<string, string> {
  let all: Headers;
  try {
    all = new Headers(headers);
    // Headers trims spaces around a value.
    if (userAgent !== undefined) all.set("user-agent", userAgent);
  } catch {
    throw unsendable("headers or userAgent");
  }
  if (all.has("authorization")) throw new TypeError("headers has Authorization. Use apiKey.");
  return Object.fromEntries(all);
}

/** Undefined on runtimes without an environment. On Deno, permission is checked first, so that nobody is prompted. */
function environment(name: string): string | undefined {
  const variable = `ANIMAL_STORE_${name}`;
  const { process, Deno } = globalThis as Surrounding;
  if (Deno && Deno.permissions.querySync({ name: "env", variable }).state !== "granted") return undefined;
  return process?.env[variable];
}

interface Surrounding {
  readonly process?: { readonly env: Record<string, string | undefined> };
  readonly Deno?: { readonly permissions: { querySync(permission: object): { readonly state: string } } };
}
