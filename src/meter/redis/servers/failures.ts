import { OperatorError } from "../../../base/operator-error.ts";

/** The operator's explanation of an error of Redis, or of the connection to it. */
export interface Failure {
  /** The end of a sentence that begins with the server's name: "is a replica". */
  readonly reason: string;
  readonly remedy: string;
  /** True: only another setting helps, so a start refuses. */
  readonly isPermanent: boolean;
}

const kind = (pattern: RegExp, reason: string, remedy: string, isPermanent = false) => ({
  pattern,
  reason,
  remedy,
  isPermanent,
});

const permanent = (pattern: RegExp, reason: string, remedy: string) => kind(pattern, reason, remedy, true);

const UNREACHABLE = "check REDIS_URL, and whether Redis is running";

/** Explanations by code and message of an error. Older servers have the codes of a script's commands in the message. */
const KINDS = [
  kind(/\bREADONLY\b/, "is a replica and cannot count", "let REDIS_URL lead to the master"),
  kind(/\bMASTERDOWN\b/, "is a replica without its master and cannot count", "let REDIS_URL lead to the master"),
  kind(/\bLOADING\b/, "is still loading its data", "wait until it has loaded them"),
  kind(
    /\bCLUSTERDOWN\b/,
    "belongs to a cluster that is down",
    "see CLUSTER INFO; with cluster-require-full-coverage set to no, the other nodes go on counting",
  ),
  kind(/\bOOM\b/, "has no memory left", "raise its maxmemory, and use it for nothing else"),
  kind(/\bMISCONF\b/, "cannot save to its disk and refuses to count", "see the log of Redis: its disk may be full"),
  kind(/\bNOREPLICAS\b/, "has fewer replicas than min-replicas-to-write", "start its replicas"),
  kind(/\bBUSY\b/, "is busy with another script", "use it for nothing else"),
  permanent(/\bWRONGPASS\b|invalid password/, "refuses the user name or password", "correct them in REDIS_URL"),
  permanent(
    /\bNOAUTH\b/,
    "requires a password",
    "put it into REDIS_URL, as redis://user:password@host:6379; that of sentinels as ?sentinel_password=",
  ),
  permanent(
    /\bNOPERM\b/,
    "does not permit its user to count",
    "permit it ~animal-store:* +@connection +@scripting +hmget +hset +pexpire +time +info +cluster",
  ),
  permanent(
    /\bMOVED\b|is a node of a cluster/,
    "is a node of a cluster, and REDIS_URL names only this one",
    "name two or more of its nodes, separated by commas",
  ),
  permanent(
    /cluster support disabled/,
    "is not a node of a cluster, but REDIS_URL names several servers",
    "name one server, or the nodes of a cluster",
  ),
  permanent(
    /DB index is out of range/,
    "does not have that many databases",
    "correct the number after the / in REDIS_URL",
  ),
  permanent(
    /Unknown RESP type|Protocol error/,
    "does not speak the protocol of Redis",
    "check the host and port in REDIS_URL",
  ),
  permanent(
    /ALTNAME_INVALID/,
    "has a certificate for another host name",
    "use a name in REDIS_URL that the certificate has, or another certificate",
  ),
  permanent(
    /CERTIFICATE_REQUIRED|HANDSHAKE_FAILURE/,
    "wants a certificate from this instance",
    "put ?tls_cert=/path/cert.pem&tls_key=/path/key.pem into REDIS_URL, or set tls-auth-clients to no",
  ),
  permanent(
    /SELF_SIGNED|UNABLE_TO_(?:GET|VERIFY)|CERT_(?!IFICATE)|UNKNOWN_CA/,
    "has a certificate that is not trusted",
    "put ?tls_ca=/path/ca.pem into REDIS_URL",
  ),
  permanent(
    /does not use TLS|WRONG_VERSION_NUMBER/,
    "does not use TLS",
    "write redis instead of rediss in REDIS_URL, or set tls-cluster to yes if it is a node of a cluster",
  ),
  permanent(/requires TLS/, "requires TLS", "write rediss instead of redis in REDIS_URL"),
  permanent(
    /unknown command [`']?SENTINEL/i,
    "is not watched by what REDIS_URL names: that is a Redis server, not a sentinel",
    "name the sentinels (port 26379 by default), or write redis://host:6379",
  ),
  permanent(/no master of that name/, "watches no master of that name", "correct the name after the / in REDIS_URL"),
  kind(/ENOTFOUND|EAI_AGAIN/, "has a host name that cannot be resolved", "check REDIS_URL and DNS"),
  kind(/ECONNREFUSED/, "refuses connections", UNREACHABLE),
];

/** Finds the first error in a chain of causes that has an explanation. */
export function failureOf(error: unknown): Failure {
  for (const text of textsOf(error)) {
    const known = KINDS.find(({ pattern }) => pattern.test(text));
    if (known) return known;
  }
  return { reason: "does not answer", remedy: UNREACHABLE, isPermanent: false };
}

/** The failure of a server, for the operator. */
export const operatorErrorOf = (server: string, { reason, remedy }: Failure): OperatorError =>
  new OperatorError(`Redis ${server} ${reason}: ${remedy}`);

/** True: Redis itself answered with an error. */
export const isReply = (error: unknown): boolean => error instanceof Error && error.name === "ReplyError";

/** True: another server may be the master by now, and the address may lead there, so it must connect anew. */
export const isOfReplica = ({ message }: Error): boolean => /\b(?:READONLY|MASTERDOWN|NOREPLICAS)\b/.test(message);

function textsOf(error: unknown): string[] {
  if (!(error instanceof Error)) return [String(error)];
  const { code, lastNodeError } = error as { code?: string; lastNodeError?: unknown };
  const behind = [lastNodeError, error.cause].filter((other) => other !== undefined && other !== null);
  return [`${code ?? ""} ${error.message}`, ...behind.flatMap(textsOf)];
}
