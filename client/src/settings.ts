import { REAL_CLOCK } from "./clock.ts";
import type { AnimalStoreOptions, CallOptions, ClientClock } from "./options.ts";
import { VERSION } from "./version.ts";

/** For how long a call goes on. */
export type Patience = { readonly [Name in "timeoutMs" | "retries" | "maxWaitMs"]: number };

/** What a client was set up with, checked and complete. */
export interface Settings extends Patience {
  readonly baseUrl: string;
  /** What the next attempt has in the header of that name. */
  readonly authorization: () => string | Promise<string>;
  readonly pacing: boolean;
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  /** With names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly clock: ClientClock;
}

/** Fails with a TypeError that names the option. None shows the key. */
export function settingsOf(options: AnimalStoreOptions): Settings {
  const { pacing = true, clock = REAL_CLOCK } = options;
  // As a method of something else, the global one refuses to work in browsers.
  const { fetch: send = (url, init) => fetch(url, init) } = options;
  for (const [option, value] of Object.entries(options)) {
    const type = option === "pacing" ? "boolean" : "function";
    if (/^(on|fetch|pacing)/.test(option) && value !== undefined && typeof value !== type)
      throw new TypeError(`${option} must be a ${type}.`);
  }
  return {
    ...patienceOf(options, { timeoutMs: 30_000, retries: 4, maxWaitMs: 120_000 }),
    baseUrl: baseUrlOf(options.baseUrl ?? environment("URL")),
    authorization: authorizationOf(options.apiKey ?? environment("KEY")),
    pacing,
    fetch: send,
    headers: headersOf(options),
    clock,
  };
}

/** What the options say of it, or else the defaults do. */
export function patienceOf(options: CallOptions, defaults: Patience): Patience {
  const take = (option: keyof Patience, least = 0): number => {
    const value = options[option] ?? defaults[option];
    if (typeof value === "number" && value >= least) return value;
    throw new TypeError(`${option} is ${String(value)}. It must be a number from ${least} on.`);
  };
  return { timeoutMs: take("timeoutMs", 1), retries: take("retries"), maxWaitMs: take("maxWaitMs") };
}

/** What may go into a header: fetch would fail at anything else as if the connection did. */
export function headerText(value: string, option: string): string {
  if (/^[ -~]+$/.test(value)) return value;
  throw unsendable(option);
}

const unsendable = (option: string): TypeError => new TypeError(`${option} must be printable ASCII.`);

const unusable = (option: string, given: string, variable: string, remedy: string): TypeError =>
  new TypeError(`${option} is ${given ? "wrong" : "missing"}. Pass ${remedy}, or set ANIMAL_STORE_${variable}.`);

function baseUrlOf(text = ""): string {
  const url = URL.canParse(text) ? new URL(text).href.replace(/\/+$/, "") : "";
  // With a user and a password, there would be an @.
  if (/^https?:[^?#@]+\/v1$/.test(url)) return url;
  throw unusable("baseUrl", text, "URL", "one that ends in /v1, without password or query");
}

function authorizationOf(apiKey: AnimalStoreOptions["apiKey"]): Settings["authorization"] {
  if (typeof apiKey === "function") return async () => bearer(await apiKey());
  const authorization = bearer(apiKey);
  return () => authorization;
}

/** A secret that was read from a file ends in a line break. What fetch says about other mistakes would show it. */
function bearer(given: string | undefined): string {
  const secret = typeof given === "string" ? given.trim() : "";
  if (/^[!-~]+$/.test(secret)) return `Bearer ${secret}`;
  throw unusable("apiKey", secret, "KEY", "a key's secret alone");
}

/** What is wrong with them is said without their values, which may be secrets. */
function headersOf({ headers, userAgent }: AnimalStoreOptions): Record<string, string> {
  let all: Headers;
  try {
    all = new Headers(headers);
    // A space in front is left out.
    all.set("user-agent", `${userAgent ?? ""} animal-store-client/${VERSION}`);
  } catch {
    throw unsendable("headers or userAgent");
  }
  if (all.has("authorization")) throw new TypeError("headers has Authorization. Use apiKey.");
  return Object.fromEntries(all);
}

/** Where there is no environment, nothing is set. Deno would ask whoever is at the terminal: for this, nobody is. */
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
