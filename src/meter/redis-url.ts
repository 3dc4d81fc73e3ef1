import { Mistake } from "../base/mistake.ts";

/** The address of the Redis that instances count in together. */
export interface RedisUrl {
  readonly kind: "single" | "sentinel" | "cluster";
  /** The server, or the sentinels, or some nodes of the cluster. */
  readonly addresses: readonly Address[];
  /** The sentinels' name for the servers that they watch. */
  readonly masterName?: string;
  readonly database: number;
  /** Credentials are the same for every server. */
  readonly credentials: Credentials;
  readonly sentinelCredentials: Credentials;
  /** Undefined: without TLS. */
  readonly tls?: TlsFiles | undefined;
}

export interface Address {
  readonly host: string;
  readonly port: number;
}

export interface Credentials {
  readonly username?: string;
  readonly password?: string;
}

/** Paths of PEM files. */
export interface TlsFiles {
  /** The authority that signed the certificate of Redis. Undefined: one that the system trusts. */
  readonly ca?: string;
  /** The client certificate, if Redis wants one. */
  readonly cert?: string;
  readonly key?: string;
}

const REDIS_PORT = 6379;
const SENTINEL_PORT = 26_379;

const MISTAKE = new Mistake(
  "must be redis://host:6379, several such addresses separated by commas for a cluster, or redis+sentinel://host:26379,host:26379/name",
);

/** Parses a setting. A mistake never quotes the text, which may hold a password. */
export function parseRedisUrl(text: string): RedisUrl | Mistake {
  if (/^rediss?\+sentinel:/.test(text)) return parseSentinels(text);
  const servers = text.split(",").map((part) => parseServer(part.trim()));
  const nodes: RedisUrl[] = [];
  for (const server of servers) {
    if (server instanceof Mistake) return server;
    nodes.push(server);
  }
  const [first, ...others] = nodes;
  if (!first || others.length === 0) return first ?? MISTAKE;
  if (nodes.some((node) => (node.tls === undefined) !== (first.tls === undefined)))
    return new Mistake("must name all nodes of a cluster with redis://, or all with rediss://");
  if (nodes.some((node) => node.database !== 0)) return new Mistake("must name no database: a cluster has only one");
  if (nodes.some((node) => !Bun.deepEquals(accessOf(node), accessOf(first))))
    return new Mistake("must have the same user, password and parameters in every address of a cluster");
  return { ...first, kind: "cluster", addresses: nodes.flatMap((node) => node.addresses) };
}

/** The parts that must be the same in every address, because all connections use those of the first. */
const accessOf = ({ credentials, tls }: RedisUrl) => ({ credentials, tls });

/** The address without a password. */
export const displayRedisUrl = (url: RedisUrl): string => written(url, "", "");

const MASK = "***";

/** Replaces the passwords in an address. */
export function maskedRedisUrl(url: RedisUrl): string {
  const { database, credentials, sentinelCredentials, tls } = url;
  const path = database === 0 ? "" : `/${database}`;
  const parameters = [
    ["sentinel_user", sentinelCredentials.username],
    ["sentinel_password", sentinelCredentials.password && MASK],
    ...Object.entries(TLS_PARAMETERS).map(([name, file]) => [name, tls?.[file]] as const),
  ].flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]));
  const query = parameters.length === 0 ? "" : `?${parameters.join("&")}`;
  return written(url, maskedUser(credentials), path + query);
}

function written({ kind, addresses, masterName, tls }: RedisUrl, user: string, rest: string): string {
  const scheme = tls ? "rediss" : "redis";
  const hosts = addresses.map(displayAddress);
  if (kind === "sentinel") return `${scheme}+sentinel://${user}${hosts.join(",")}/${masterName}${rest}`;
  return hosts.map((host) => `${scheme}://${user}${host}${rest}`).join(",");
}

function maskedUser({ username, password }: Credentials): string {
  const name = encodeURIComponent(username ?? "");
  if (password !== undefined) return `${name}:${MASK}@`;
  return name === "" ? "" : `${name}@`;
}

export const displayAddress = ({ host, port }: Address): string =>
  host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;

function parseServer(text: string): RedisUrl | Mistake {
  const url = URL.parse(text);
  if (!url || !/^rediss?:$/.test(url.protocol) || url.hostname === "") return MISTAKE;
  const database = parseDatabase(url.pathname.slice(1));
  const credentials = credentialsOf(url.username, url.password);
  if (database === undefined || !credentials) return MISTAKE;
  const tls = parseTls(url.protocol === "rediss:", url.searchParams);
  if (tls instanceof Mistake) return tls;
  const addresses = [addressOf(url, REDIS_PORT)];
  return { kind: "single", addresses, database, credentials, sentinelCredentials: {}, tls };
}

const SENTINELS =
  /^redis(?<s>s?)\+sentinel:\/\/(?:(?<user>[^@/:]*)(?::(?<password>[^@/]*))?@)?(?<hosts>[^/?#@]+)\/(?<name>[^/?#]+)(?:\/(?<database>[^?#]*))?(?:\?(?<query>.*))?$/;

function parseSentinels(text: string): RedisUrl | Mistake {
  const { s, user = "", password = "", hosts = "", name = "", ...rest } = SENTINELS.exec(text)?.groups ?? {};
  const urls = hosts.split(",").map((host) => URL.parse(`redis://${host.trim()}`));
  const addresses = urls.flatMap((url) => (url?.hostname ? addressOf(url, SENTINEL_PORT) : []));
  const database = parseDatabase(rest.database ?? "");
  const query = new URLSearchParams(rest.query);
  const credentials = credentialsOf(user, password);
  const masterName = decoded(name);
  const sentinelCredentials = withoutEmpty({
    username: query.get("sentinel_user"),
    password: query.get("sentinel_password"),
  });
  if (addresses.length < urls.length || database === undefined || !credentials || !masterName) return MISTAKE;
  query.delete("sentinel_user");
  query.delete("sentinel_password");
  const tls = parseTls(s === "s", query);
  if (tls instanceof Mistake) return tls;
  return { kind: "sentinel", addresses, masterName, database, credentials, sentinelCredentials, tls };
}

const TLS_PARAMETERS = { tls_ca: "ca", tls_cert: "cert", tls_key: "key" } as const;

function parseTls(isOn: boolean, query: URLSearchParams): TlsFiles | undefined | Mistake {
  const files: { -readonly [Name in keyof TlsFiles]: string } = {};
  for (const [name, value] of query) {
    if (!Object.hasOwn(TLS_PARAMETERS, name))
      return new Mistake(
        `must have no parameters after ? other than ${Object.keys(TLS_PARAMETERS).join(", ")} and, for sentinels, sentinel_user and sentinel_password`,
      );
    if (!isOn) return new Mistake(`must begin with rediss for ${name} to have a meaning`);
    files[TLS_PARAMETERS[name as keyof typeof TLS_PARAMETERS]] = value;
  }
  if ((files.cert === undefined) !== (files.key === undefined))
    return new Mistake("must have both tls_cert and tls_key, or neither");
  return isOn ? files : undefined;
}

const addressOf = ({ hostname, port }: URL, fallback: number): Address => ({
  host: hostname.replace(/^\[|\]$/g, ""),
  port: port === "" ? fallback : Number(port),
});

const parseDatabase = (text: string): number | undefined =>
  text === "" ? 0 : /^[0-9]{1,5}$/.test(text) ? Number(text) : undefined;

function credentialsOf(username: string, password: string): Credentials | undefined {
  const texts = [decoded(username), decoded(password)] as const;
  if (texts[0] === undefined || texts[1] === undefined) return undefined;
  return withoutEmpty({ username: texts[0], password: texts[1] });
}

/** A percent sign in a password has to be written as %25. */
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

const withoutEmpty = ({ username, password }: { username: string | null; password: string | null }): Credentials => ({
  ...(username ? { username } : {}),
  ...(password ? { password } : {}),
});
