import { parseTrustedProxies } from "./access/address.ts";
import { Mistake, oneOf } from "./base/mistake.ts";
import { mistakeInText } from "./base/text/text.ts";
import { ENVIRONMENT_NAMES, type EnvironmentName } from "./domain/environment.ts";
import { AUTHOR_MAX_CODE_POINTS } from "./domain/journal.ts";
import { QUOTA_MAX } from "./domain/keys/plan.ts";
import { KEPT_DAYS_DEFAULT, KEPT_DAYS_MAX } from "./domain/usage/kept-request.ts";
import { parseCorsOrigins } from "./http/cors/origins.ts";
import { parseHostNames } from "./http/request/known-hosts.ts";
import { maskedRedisUrl, parseRedisUrl, type RedisUrl } from "./meter/redis-url.ts";
import { maskedDatabaseUrl, parseDatabaseUrl } from "./store/urls/database-url.ts";
import { LOG_LEVELS } from "./telemetry/log.ts";

const DRAIN_MAX_SECONDS = 300;
const THREADS_MAX = 64;
const CONNECTIONS_MAX = 500;

interface Setting<Value> {
  /** The default, as the environment would spell it; an empty text means "not set". */
  readonly fallback: string;
  readonly meaning: string;
  readonly parse: (text: string) => Value | Mistake;
  /** Returns the value without its password. Only for settings that may contain one, which no message shows. */
  masked?(value: NonNullable<Value>): string;
  /** True: the text may contain a password by mistake, so no message shows it. */
  hides?(text: string): boolean;
}

const setting = <Value>(
  fallback: string,
  meaning: string,
  parse: (text: string) => Value | Mistake,
  secrecy: Pick<Setting<Value>, "masked" | "hides"> = {},
): Setting<Value> => ({ fallback, meaning, parse, ...secrecy });

const publicUrlSetting = (meaning: string) =>
  setting("", meaning, parsePublicUrl, { hides: (text) => /[@?]/.test(text) });

/** Parses a whole number without needless digits. */
const wholeNumber =
  (min: number, max: number, rule = `must be a whole number from ${min} to ${max}`) =>
  (text: string): number | Mistake => {
    const isShort = /^[0-9]+$/.test(text) && text.length <= String(max).length;
    const number = isShort ? Number(text) : Number.NaN;
    return number >= min && number <= max ? number : new Mistake(rule);
  };

const parseHost = (text: string): string | Mistake =>
  /^[A-Za-z0-9.:_-]+$/.test(text) ? text : new Mistake("must be an address or a host name, such as 127.0.0.1");

const parseEnvironment = (text: string): EnvironmentName | Mistake =>
  ENVIRONMENT_NAMES.find((name) => name === text) ?? new Mistake("must be production or staging");

const parseSwitch = (text: string): boolean | Mistake =>
  text === "on" || text === "off" ? text === "on" : new Mistake("must be on or off");

const optional =
  <Value>(parse: (text: string) => Value | Mistake) =>
  (text: string): Value | undefined | Mistake =>
    text === "" ? undefined : parse(text);

const parsePort = wholeNumber(0, 65_535, "must be a port from 0 to 65535");

/** Every setting. docs/settings.md and `serve --help` show exactly these. */
export const SETTINGS = {
  ENVIRONMENT: setting("production", "`production` or `staging`: which of the two this is.", parseEnvironment),
  HOST: setting("127.0.0.1", "Address to listen on; `0.0.0.0` for all.", parseHost),
  PORT: setting("8080", "Port to listen on; `0` for any free one.", parsePort),
  THREADS: setting(
    "",
    "Threads that answer requests and share the port. By default, one for each core, at most 8; with PostgreSQL, one.",
    optional(wholeNumber(1, THREADS_MAX)),
  ),
  DATABASE_URL: setting(
    "sqlite:data/animal-store.db",
    "Where everything is stored: `sqlite:` followed by a file name, or `postgres://user:password@host/database`.",
    parseDatabaseUrl,
    { masked: maskedDatabaseUrl },
  ),
  DATABASE_CONNECTIONS: setting(
    "10",
    "Connections to PostgreSQL, per instance: its threads divide them.",
    wholeNumber(1, CONNECTIONS_MAX),
  ),
  MIGRATE: setting(
    "on",
    "`off`: a start never changes the schema; the command `migrate` does, as a job of its own.",
    parseSwitch,
  ),
  REDIS_URL: setting(
    "",
    "Where instances count requests together: `redis://host:6379`; several nodes of a cluster, separated by commas; or `redis+sentinel://host:26379,host:26379/name`. With TLS: `rediss`.",
    optional<RedisUrl>(parseRedisUrl),
    { masked: maskedRedisUrl },
  ),
  PUBLIC_URL: publicUrlSetting(
    "The base address that clients use, ending in `/v1`; by default, the host that each request names.",
  ),
  STAGING_URL: publicUrlSetting("In production: the base address of staging, which the reference offers too."),
  PRODUCTION_URL: publicUrlSetting("In staging: the base address of production, which the reference offers too."),
  TRUSTED_PROXIES: setting(
    "",
    "Addresses or networks, separated by commas, whose `X-Forwarded-For` is trusted, and without `PUBLIC_URL` also `X-Forwarded-Host` and `-Proto`.",
    parseTrustedProxies,
  ),
  TRUSTED_HOSTS: setting(
    "",
    "Further host names, separated by commas, under which the console and metrics answer: others than addresses, names without a dot, and the host of `PUBLIC_URL` get 421.",
    parseHostNames,
  ),
  CORS_ORIGINS: setting(
    "",
    "Origins of web pages that may call the API, separated by commas, such as `https://app.example.com`; `*` for all. By default, none.",
    parseCorsOrigins,
    { hides: (text) => text.includes("@") },
  ),
  DRAIN_SECONDS: setting(
    "0",
    "For how long requests are still accepted after SIGTERM, while `/readyz` says 503: longer than a load balancer takes to notice.",
    wholeNumber(0, DRAIN_MAX_SECONDS, `must be a whole number of seconds from 0 to ${DRAIN_MAX_SECONDS}`),
  ),
  ACCOUNT: setting("on", "`off`: there is no page `/account`, on which the holder of a key sees it.", parseSwitch),
  CONSOLE: setting("on", "`off`: there is no console in the browser.", parseSwitch),
  CONSOLE_PORT: setting(
    "",
    "Port for the console alone; by default, it is under `/console` on `PORT`.",
    optional(parsePort),
  ),
  CONSOLE_HOST: setting(
    "127.0.0.1",
    "Address on which the console is served if it has a port of its own; `0.0.0.0` for all.",
    parseHost,
  ),
  NAME_INDEX: setting(
    "on",
    "`off`: the console does not search inside the names of animals, and a start removes the index that SQLite has for that.",
    parseSwitch,
  ),
  METRICS_PORT: setting("", "Port for Prometheus metrics; by default, there are none.", optional(parsePort)),
  METRICS_HOST: setting("127.0.0.1", "Address on which metrics are served; `0.0.0.0` for all.", parseHost),
  METRICS_BY_KEY: setting("off", "`on`: metrics count requests for each key, too.", parseSwitch),
  LOG_LEVEL: setting("info", `One of ${LOG_LEVELS.map((level) => `\`${level}\``).join(", ")}.`, oneOf(LOG_LEVELS)),
  LOG_REQUESTS: setting("off", "`on`: one log line per request.", parseSwitch),
  REQUEST_LOG_DAYS: setting(
    String(KEPT_DAYS_DEFAULT),
    "Days for which the latest requests of each key are kept, without query, body and address; `0`: none are.",
    wholeNumber(0, KEPT_DAYS_MAX, `must be a whole number of days from 0 to ${KEPT_DAYS_MAX}`),
  ),
  ANONYMOUS_PER_MINUTE: setting(
    "300",
    "Requests per minute that one address may make without a valid key.",
    wholeNumber(1, QUOTA_MAX),
  ),
  OPERATOR: setting(
    "",
    "Who the journal says made a change; by default, the system user.",
    optional((text) => mistakeInText(text, AUTHOR_MAX_CODE_POINTS) ?? text),
  ),
} as const satisfies Record<string, Setting<unknown>>;

type SettingName = keyof typeof SETTINGS;

export type Config = { readonly [Name in SettingName]: Exclude<ReturnType<(typeof SETTINGS)[Name]["parse"]>, Mistake> };

/** The console's path as browsers see it: a proxy may put something before it. */
export const consolePath = ({ PUBLIC_URL, CONSOLE_PORT }: Pick<Config, "PUBLIC_URL" | "CONSOLE_PORT">): string =>
  PUBLIC_URL === undefined || CONSOLE_PORT !== undefined
    ? "/console"
    : new URL(PUBLIC_URL).pathname.replace(/v1$/, "console");

/** The address of the console for everybody, given the one on the machine of the service. */
export const consoleUrlOf = (config: Pick<Config, "PUBLIC_URL" | "CONSOLE_PORT">, directUrl: string): string => {
  const { PUBLIC_URL, CONSOLE_PORT } = config;
  const isPublic = PUBLIC_URL !== undefined && CONSOLE_PORT === undefined;
  return isPublic ? `${new URL(PUBLIC_URL).origin}${consolePath(config)}/` : directUrl;
};

/** The names under which the console and metrics answer, beside those that no stranger can own. */
export const knownHostNames = (config: Config): readonly string[] => {
  const { PUBLIC_URL, HOST, CONSOLE_HOST, METRICS_HOST, TRUSTED_HOSTS } = config;
  const own = [HOST, CONSOLE_HOST, METRICS_HOST].map((name) => name.toLowerCase());
  return [...own, ...(PUBLIC_URL === undefined ? [] : [new URL(PUBLIC_URL).hostname]), ...TRUSTED_HOSTS];
};

export type Environment = Readonly<Record<string, string | undefined>>;

export type SettingSource = "default" | "environment" | ".env";

/** A setting with the value that applies. */
export interface SettingInForce {
  readonly name: SettingName;
  /** The value without passwords. Undefined: there is none, or it must not be shown. */
  readonly shown: string | undefined;
  readonly source: SettingSource;
  /** The end of a sentence that begins with the setting's name, such as "must be a port". */
  readonly mistake: string | undefined;
}

interface Reading extends SettingInForce {
  readonly value: unknown;
}

/** Reads the environment. Returns a Config, or all mistakes, one line each. An empty value counts as not set. */
export function readConfig(env: Environment): { config: Config } | { mistakes: readonly string[] } {
  const readings = readAll(env, {});
  const mistakes = readings.flatMap(({ name, mistake }) => (mistake === undefined ? [] : [`${name} ${mistake}`]));
  if (mistakes.length > 0) return { mistakes };
  return { config: Object.fromEntries(readings.map(({ name, value }) => [name, value])) as unknown as Config };
}

/** Returns every setting, valid or not. The environment, even an empty value, takes precedence over the file. */
export const settingsInForce = (env: Environment, envFile: Environment): SettingInForce[] =>
  readAll(env, envFile).map(({ value: _, ...setting }) => setting);

function readAll(env: Environment, envFile: Environment): Reading[] {
  const names = Object.keys(SETTINGS) as SettingName[];
  const readings = names.map((name) => read(name, env[name], envFile[name]));
  const values: Partial<Config> = Object.fromEntries(readings.map(({ name, value }) => [name, value]));
  const clashes = { ...clashesOfPorts(values), ...clashesOfUrls(values) };
  return readings.map((reading) => ({ ...reading, mistake: reading.mistake ?? clashes[reading.name] }));
}

function read(name: SettingName, inEnvironment: string | undefined, inFile: string | undefined): Reading {
  const { fallback, parse, masked, hides }: Setting<unknown> = SETTINGS[name];
  const text = (inEnvironment ?? inFile)?.trim() || undefined;
  const source = text === undefined ? "default" : inEnvironment === undefined ? ".env" : "environment";
  const value = parse(text ?? fallback);
  if (value instanceof Mistake) {
    const isHidden = masked !== undefined || hides?.(text ?? "") === true;
    const found = isHidden ? "" : `, but is ${JSON.stringify(text ?? fallback)}`;
    return { name, source, value: undefined, shown: isHidden ? undefined : text, mistake: `${value.text}${found}` };
  }
  const shown = masked && value !== undefined && value !== null ? masked(value) : (text ?? fallback);
  return { name, source, value, shown: shown === "" ? undefined : shown, mistake: undefined };
}

/** The mistakes of settings that are valid alone, but not together. */
type Clashes = { [Name in SettingName]?: string };

const DISTINCT_PORTS = [
  ["METRICS_PORT", "PORT"],
  ["CONSOLE_PORT", "METRICS_PORT"],
  ["CONSOLE_PORT", "PORT"],
] as const;

/** Port 0 is any free one, and clashes with none. */
function clashesOfPorts(values: Partial<Config>): Clashes {
  const clashes: Clashes = {};
  for (const [one, other] of DISTINCT_PORTS) {
    const port = values[one];
    if (port && port === values[other]) clashes[one] = `must differ from ${other}, but both are ${port}`;
  }
  return clashes;
}

/** A setting that was copied from the other environment by mistake would send clients there. */
function clashesOfUrls({ ENVIRONMENT, PUBLIC_URL, STAGING_URL, PRODUCTION_URL }: Partial<Config>): Clashes {
  if (ENVIRONMENT === undefined) return {};
  const urls = { STAGING_URL, PRODUCTION_URL };
  const [own, other] =
    ENVIRONMENT === "production"
      ? (["PRODUCTION_URL", "STAGING_URL"] as const)
      : (["STAGING_URL", "PRODUCTION_URL"] as const);
  const clashes: Clashes = {};
  if (urls[own] !== undefined)
    clashes[own] = `must not be set in ${ENVIRONMENT}: its own address is PUBLIC_URL, and ${other} that of the other`;
  if (urls[other] !== undefined && urls[other] === PUBLIC_URL)
    clashes[other] =
      `must differ from PUBLIC_URL, which is the address of ${ENVIRONMENT} itself, but both are ${PUBLIC_URL}`;
  return clashes;
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
