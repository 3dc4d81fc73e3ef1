import { parseTrustedProxies, type TrustedProxies } from "./access/address.ts";
import { QUOTA_MAX } from "./domain/plan.ts";
import type { DatabaseAddress } from "./store/open.ts";

export const LOG_LEVELS = ["debug", "info", "warn", "error", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** What is wrong with a value, as the end of a sentence that begins with the setting's name. */
class Mistake {
  constructor(readonly text: string) {}
}

/** A mistake in a value that may have a password in it, which is not to be shown. */
class HiddenMistake extends Mistake {}

interface Setting<Value> {
  /** As it would stand in the environment; the empty text means "not set". */
  readonly fallback: string;
  readonly meaning: string;
  readonly parse: (text: string) => Value | Mistake;
}

const setting = <Value>(
  fallback: string,
  meaning: string,
  parse: (text: string) => Value | Mistake,
): Setting<Value> => ({
  fallback,
  meaning,
  parse,
});

/** Every setting there is. The README's table and `serve --help` show just these. */
export const SETTINGS = {
  HOST: setting("127.0.0.1", "Address to listen on; `0.0.0.0` for all.", parseHost),
  PORT: setting("8080", "Port to listen on; `0` for any free one.", parsePort),
  DATABASE_URL: setting(
    "sqlite:data/animal-store.db",
    "Where everything is kept: `sqlite:` and a file, or `postgres://user:password@host/database`.",
    parseDatabase,
  ),
  DATABASE_CONNECTIONS: setting("10", "Connections to PostgreSQL, for each instance.", parseConnections),
  REDIS_URL: setting(
    "",
    "Where instances count together: `redis://host:6379`, or several nodes of a cluster with commas.",
    parseRedis,
  ),
  PUBLIC_URL: setting(
    "",
    "The base address that clients use, ending in `/v1`; unset: the address listened on.",
    parsePublicUrl,
  ),
  TRUSTED_PROXIES: setting(
    "",
    "Addresses or networks, with commas, whose `X-Forwarded-For` is believed.",
    parseProxies,
  ),
  METRICS_PORT: setting("", "Port for Prometheus metrics, on localhost; unset: none.", optional(parsePort)),
  LOG_LEVEL: setting("info", `One of ${LOG_LEVELS.map((level) => `\`${level}\``).join(", ")}.`, parseLogLevel),
  LOG_REQUESTS: setting("off", "`on`: one log line a request.", parseSwitch),
  ANONYMOUS_PER_MINUTE: setting(
    "300",
    "Requests without a valid key that one address may make in a minute.",
    parseQuota,
  ),
} as const satisfies Record<string, Setting<unknown>>;

export type SettingName = keyof typeof SETTINGS;

export type Config = { readonly [Name in SettingName]: Exclude<ReturnType<(typeof SETTINGS)[Name]["parse"]>, Mistake> };

export type Environment = Readonly<Record<string, string | undefined>>;

/** Reads the environment: a Config, or every mistake in it, a line each. An empty value counts as not set. */
export function readConfig(env: Environment): { config: Config } | { mistakes: readonly string[] } {
  const values: Record<string, unknown> = {};
  const mistakes: string[] = [];
  for (const [name, { fallback, parse }] of Object.entries(SETTINGS)) {
    const text = env[name]?.trim() || fallback;
    const value = parse(text);
    if (value instanceof Mistake)
      mistakes.push(`${name} ${value.text}${value instanceof HiddenMistake ? "" : `, but is ${JSON.stringify(text)}`}`);
    else values[name] = value;
  }
  if (values.METRICS_PORT !== undefined && values.METRICS_PORT !== 0 && values.METRICS_PORT === values.PORT)
    mistakes.push(`METRICS_PORT must differ from PORT, but both are ${values.PORT}`);
  return mistakes.length > 0 ? { mistakes } : { config: values as Config };
}

function parseHost(text: string): string | Mistake {
  return /^[A-Za-z0-9.:_-]+$/.test(text) ? text : new Mistake("must be an address or a host name, such as 127.0.0.1");
}

function parsePort(text: string): number | Mistake {
  return /^[0-9]{1,5}$/.test(text) && Number(text) <= 65_535
    ? Number(text)
    : new Mistake("must be a port from 0 to 65535");
}

function parseDatabase(text: string): DatabaseAddress | Mistake {
  const path = /^sqlite:(?:\/\/)?(.+)$/.exec(text)?.[1];
  if (path !== undefined && !path.startsWith(":")) return { kind: "sqlite", path };
  const url = URL.parse(text);
  const isPostgres = url && /^postgres(ql)?:$/.test(url.protocol) && url.hostname !== "" && url.pathname.length > 1;
  if (isPostgres && !url.pathname.includes("@") && isDecodable(url)) return { kind: "postgres", url: text };
  return new HiddenMistake(
    "must be sqlite: and a file, such as sqlite:data/animal-store.db, or postgres://user:password@host/database",
  );
}

/** A percent sign in a password has to be written as %25. */
function isDecodable({ username, password }: URL): boolean {
  try {
    return decodeURIComponent(username + password) !== undefined;
  } catch {
    return false;
  }
}

function parseConnections(text: string): number | Mistake {
  const connections = /^[0-9]{1,3}$/.test(text) ? Number(text) : Number.NaN;
  return connections >= 1 && connections <= 500 ? connections : new Mistake("must be a whole number from 1 to 500");
}

function parseRedis(text: string): readonly string[] | undefined | Mistake {
  if (text === "") return undefined;
  const urls = text.split(",").map((part) => part.trim());
  const isRight = urls.every((part) => {
    const url = URL.parse(part);
    return url && /^rediss?:$/.test(url.protocol) && url.hostname !== "" && isDecodable(url);
  });
  return isRight ? urls : new HiddenMistake("must be redis://host:6379, or several such addresses with commas");
}

function parsePublicUrl(text: string): string | undefined | Mistake {
  if (text === "") return undefined;
  const url = URL.parse(text);
  const isPlain =
    url && /^https?:$/.test(url.protocol) && url.search === "" && url.hash === "" && url.username + url.password === "";
  if (!isPlain || !/\/v1\/?$/.test(url.pathname))
    return new Mistake("must be a http or https address that ends in /v1, such as https://api.example.com/v1");
  return url.origin + url.pathname.replace(/\/$/, "");
}

function parseProxies(text: string): TrustedProxies | Mistake {
  const { proxies, mistake } = parseTrustedProxies(text);
  return mistake === undefined
    ? proxies
    : new Mistake(`must list addresses or networks such as 10.0.0.0/8, and ${JSON.stringify(mistake)} is neither`);
}

function parseLogLevel(text: string): LogLevel | Mistake {
  return LOG_LEVELS.find((level) => level === text) ?? new Mistake(`must be one of ${LOG_LEVELS.join(", ")}`);
}

function parseSwitch(text: string): boolean | Mistake {
  return text === "on" || text === "off" ? text === "on" : new Mistake("must be on or off");
}

function parseQuota(text: string): number | Mistake {
  const quota = /^[0-9]{1,10}$/.test(text) ? Number(text) : Number.NaN;
  return quota >= 1 && quota <= QUOTA_MAX ? quota : new Mistake(`must be a whole number from 1 to ${QUOTA_MAX}`);
}

function optional<Value>(parse: (text: string) => Value | Mistake): (text: string) => Value | undefined | Mistake {
  return (text) => (text === "" ? undefined : parse(text));
}
