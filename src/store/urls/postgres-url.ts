import { Mistake, oneOf } from "../../base/mistake.ts";

const SSL_MODES = ["disable", "prefer", "require", "verify-ca", "verify-full"] as const;
export type SslMode = (typeof SSL_MODES)[number];

const CHANNEL_BINDINGS = ["disable", "prefer", "require"] as const;

const DEFAULT_PORT = 5432;

/** Each parameter, and the values that it takes. */
const PARAMETERS: Readonly<Record<string, (value: string) => string | Mistake>> = {
  sslmode: oneOf(SSL_MODES),
  sslrootcert: (value) => value || new Mistake('must be a file name, or "system"'),
  sslcert: (value) => value || new Mistake("must be a file name"),
  sslkey: (value) => value || new Mistake("must be a file name"),
  channel_binding: oneOf(CHANNEL_BINDINGS),
  connect_timeout: (value) => (/^[1-9]\d{0,3}$/.test(value) ? value : new Mistake("must be a number of seconds")),
  prepare: oneOf(["true", "false"]),
  pgbouncer: oneOf(["true", "false"]),
};

/** The parts of a PostgreSQL URL. */
export type PostgresAddress = Exclude<ReturnType<typeof parsePostgresUrl>, Mistake>;

/** Tells whether PgBouncer is in between, in any mode: it refuses session settings, and keeps connections open. */
export const isPooled = (url: URL): boolean => url.searchParams.get("pgbouncer") === "true";

/** Parses a URL. Parameters mean what they mean to libpq. The mistake quotes nothing but names of parameters. */
export function parsePostgresUrl(url: URL) {
  const mistake = mistakeIn(url.searchParams);
  if (mistake) return mistake;
  const of = (name: string): string | undefined => url.searchParams.get(name) ?? undefined;
  const rootCertificate = of("sslrootcert");
  const seconds = of("connect_timeout");
  return {
    hostname: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: url.port === "" ? DEFAULT_PORT : Number(url.port),
    username: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    database: decodeURIComponent(url.pathname.slice(1)),
    sslMode: sslModeOf(of("sslmode") as SslMode | undefined, rootCertificate),
    /** Names of files; "system" for the roots that the runtime trusts. */
    rootCertificate,
    certificate: of("sslcert"),
    key: of("sslkey"),
    channelBinding: of("channel_binding") as (typeof CHANNEL_BINDINGS)[number] | undefined,
    connectTimeoutSeconds: seconds === undefined ? undefined : Number(seconds),
    /** Statements are prepared: not behind a pooler that gives each transaction another session. */
    prepares: of("prepare") === "true" || (of("prepare") === undefined && !isPooled(url)),
    isPooled: isPooled(url),
  };
}

function mistakeIn(parameters: URLSearchParams): Mistake | undefined {
  for (const [name, value] of parameters) {
    const parse = Object.hasOwn(PARAMETERS, name) ? PARAMETERS[name] : undefined;
    if (!parse)
      return new Mistake(
        `has ${/^[a-z_]+$/.test(name) ? `the parameter ${name}` : "a parameter"}, which is not supported: leave it out, or set it for the role in PostgreSQL. Supported are ${Object.keys(PARAMETERS).join(", ")}`,
      );
    const parsed = parse(value);
    if (parsed instanceof Mistake) return new Mistake(`has the parameter ${name}, which ${parsed.text}`);
  }
  return parameters.has("sslcert") === parameters.has("sslkey")
    ? undefined
    : new Mistake("must have sslcert and sslkey together, or neither");
}

/** A root certificate means that the server's is verified against it, as with libpq. */
function sslModeOf(mode: SslMode | undefined, rootCertificate: string | undefined): SslMode {
  if (rootCertificate === "system" && mode !== "disable") return "verify-full";
  if (rootCertificate !== undefined && mode === "require") return "verify-ca";
  return mode ?? "prefer";
}
