import { parseTrustedProxies } from "./access/address.ts";
import { Mistake } from "./domain/mistake.ts";
import { QUOTA_MAX } from "./domain/plan.ts";
import { parseRedisUrl, type RedisUrl } from "./meter/redis-url.ts";
import { parseDatabaseUrl } from "./store/database-url.ts";
import { LOG_LEVELS, type LogLevel } from "./telemetry/log.ts";

const DRAIN_MAX_SECONDS = 300;
const THREADS_MAX = 64;

interface Setting<Value> {
  /** As it would be written in the environment; an empty text means "not set". */
  readonly fallback: string;
  readonly meaning: string;
  readonly parse: (text: string) => Value | Mistake;
  /** The value may contain a password, so no message shows it. */
  readonly isSecret?: boolean;
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

const secretSetting = <Value>(...args: Parameters<typeof setting<Value>>): Setting<Value> => ({
  ...setting(...args),
  isSecret: true,
});

/** Every setting. The README's table and `serve --help` show exactly these. */
export const SETTINGS = {
  HOST: setting("127.0.0.1", "Address to listen on; `0.0.0.0` for all.", parseHost),
  PORT: setting("8080", "Port to listen on; `0` for any free one.", parsePort),
  THREADS: setting(
    "",
    "Threads that answer requests and share the port. By default, one for each core, at most 8; with PostgreSQL, one.",
    optional(parseThreads),
  ),
  DATABASE_URL: secretSetting(
    "sqlite:data/animal-store.db",
    "Where everything is stored: `sqlite:` followed by a file name, or `postgres://user:password@host/database`.",
    parseDatabaseUrl,
  ),
  DATABASE_CONNECTIONS: setting(
    "10",
    "Connections to PostgreSQL, per instance: its threads divide them.",
    parseConnections,
  ),
  MIGRATE: setting(
    "on",
    "`off`: a start never changes the schema; `animal-store migrate` does, as a job of its own.",
    parseSwitch,
  ),
  REDIS_URL: secretSetting(
    "",
    "Where instances count requests together: `redis://host:6379`; several nodes of a cluster, separated by commas; or `redis+sentinel://host:26379,host:26379/name`. With TLS: `rediss`.",
    optional<RedisUrl>(parseRedisUrl),
  ),
  PUBLIC_URL: setting(
    "",
    "The base address that clients use, ending in `/v1`; by default, the address listened on.",
    parsePublicUrl,
  ),
  TRUSTED_PROXIES: setting(
    "",
    "Addresses or networks, separated by commas, whose `X-Forwarded-For` is trusted.",
    parseTrustedProxies,
  ),
  DRAIN_SECONDS: setting(
    "0",
    "For how long requests are still accepted after SIGTERM, while `/readyz` says 503: longer than a load balancer takes to notice.",
    parseDrainSeconds,
  ),
  METRICS_PORT: setting("", "Port for Prometheus metrics; by default, there are none.", optional(parsePort)),
  METRICS_HOST: setting("127.0.0.1", "Address on which metrics are served; `0.0.0.0` for all.", parseHost),
  LOG_LEVEL: setting("info", `One of ${LOG_LEVELS.map((level) => `\`${level}\``).join(", ")}.`, parseLogLevel),
  LOG_REQUESTS: setting("off", "`on`: one log line per request.", parseSwitch),
  ANONYMOUS_PER_MINUTE: setting(
    "300",
    "Requests per minute that one address may make without a valid key.",
    parseQuota,
  ),
} as const satisfies Record<string, Setting<unknown>>;

export type SettingName = keyof typeof SETTINGS;

export type Config = { readonly [Name in SettingName]: Exclude<ReturnType<(typeof SETTINGS)[Name]["parse"]>, Mistake> };

export type Environment = Readonly<Record<string, string | undefined>>;

/** Reads the environment: a Config, or all mistakes in it, one line each. An empty value counts as not set. */
export function readConfig(env: Environment): { config: Config } | { mistakes: readonly string[] } {
  const values: Record<string, unknown> = {};
  const mistakes: string[] = [];
  for (const [name, { fallback, parse, isSecret }] of Object.entries<Setting<unknown>>(SETTINGS)) {
    const text = env[name]?.trim() || fallback;
    const value = parse(text);
    if (value instanceof Mistake)
      mistakes.push(`${name} ${value.text}${isSecret ? "" : `, but is ${JSON.stringify(text)}`}`);
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

function parseThreads(text: string): number | Mistake {
  const threads = /^[0-9]{1,2}$/.test(text) ? Number(text) : Number.NaN;
  return threads >= 1 && threads <= THREADS_MAX
    ? threads
    : new Mistake(`must be a whole number from 1 to ${THREADS_MAX}`);
}

function parseConnections(text: string): number | Mistake {
  const connections = /^[0-9]{1,3}$/.test(text) ? Number(text) : Number.NaN;
  return connections >= 1 && connections <= 500 ? connections : new Mistake("must be a whole number from 1 to 500");
}

function parsePublicUrl(text: string): string | undefined | Mistake {
  if (text === "") return undefined;
  const url = URL.parse(text);
  const isPlain =
    url && /^https?:$/.test(url.protocol) && url.search === "" && url.hash === "" && url.username + url.password === "";
  if (!isPlain || !/\/v1\/?$/.test(url.pathname))
    return new Mistake("must be an http or https address that ends in /v1, such as https://api.example.com/v1");
  return url.origin + url.pathname.replace(/\/$/, "");
}

function parseDrainSeconds(text: string): number | Mistake {
  const seconds = /^[0-9]{1,3}$/.test(text) ? Number(text) : Number.NaN;
  return seconds <= DRAIN_MAX_SECONDS
    ? seconds
    : new Mistake(`must be a whole number of seconds from 0 to ${DRAIN_MAX_SECONDS}`);
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
