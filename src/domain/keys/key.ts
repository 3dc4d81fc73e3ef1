import { crc32, sha256Hex } from "../../base/runtime/digests.ts";
import type { EnvironmentName } from "../environment.ts";
import type { Plan, Quotas } from "./plan.ts";
import { type Right, ROTATION, SCOPES, type Scope } from "./scope.ts";

/** The stored record of an API key. The secret itself is never stored, only its digest. */
export interface Key {
  readonly id: string;
  readonly name: string;
  readonly plan: Plan;
  readonly quotas: Quotas;
  readonly scopes: readonly Scope[];
  /** Its holder may rotate its secret. No scope brings this with it. */
  readonly mayRotate: boolean;
  readonly createdAtMs: number;
  readonly expiresAtMs: number | undefined;
  readonly revokedAtMs: number | undefined;
  /** When a person last lifted its bans. */
  readonly unbannedAtMs: number | undefined;
  readonly suspendedAtMs: number | undefined;
  /** The minute of the latest request with a valid secret, recorded some seconds later. */
  readonly lastUsedAtMs: number | undefined;
}

type Issued = Pick<Key, "name" | "plan" | "quotas" | "createdAtMs" | "expiresAtMs"> &
  Partial<Pick<Key, "scopes" | "mayRotate">>;

/** A new key. Unless its scopes are given, it has all of them. Its holder may not rotate its secret, unless that is given. */
export const newKey = (issued: Issued): Key => ({
  id: newKeyId(),
  scopes: SCOPES,
  mayRotate: false,
  ...issued,
  revokedAtMs: undefined,
  unbannedAtMs: undefined,
  suspendedAtMs: undefined,
  lastUsedAtMs: undefined,
});

export const hasRight = ({ scopes, mayRotate }: Key, right: Right): boolean =>
  right === ROTATION ? mayRotate : scopes.includes(right);

/** New values for the fields of a key. A field that is undefined stays as it is. */
export interface KeyChange extends Partial<Pick<Key, "name" | "plan" | "quotas" | "scopes" | "mayRotate">> {
  readonly keyId: string;
  /** Null removes the expiry. */
  readonly expiresAtMs?: number | null;
}

/** One of a key's secrets. A rotated key keeps its old ones for a while. */
export interface KeySecret {
  readonly expiresAtMs: number | undefined;
}

export interface DatedSecret extends KeySecret {
  /** Undefined if release 1.1.0 or an older one issued it: those did not record the time. */
  readonly createdAtMs: number | undefined;
}

/** The reason why a known secret is refused. */
export type KeyProblem =
  /** `replaced`: it was rotated out, and the overlap is over. */
  { readonly kind: "revoked" | "suspended" | "replaced" } | { readonly kind: "expired"; readonly atMs: number };

/** Returns why a secret is refused at this moment, or undefined if it is valid. */
export function problemWith(key: Key, secret: KeySecret, nowMs: number): KeyProblem | undefined {
  if (key.revokedAtMs !== undefined) return { kind: "revoked" };
  if (key.expiresAtMs !== undefined && nowMs >= key.expiresAtMs) return { kind: "expired", atMs: key.expiresAtMs };
  if (secret.expiresAtMs !== undefined && nowMs >= secret.expiresAtMs) return { kind: "replaced" };
  if (key.suspendedAtMs !== undefined) return { kind: "suspended" };
  return undefined;
}

/** The end of a secret, by rotation or with its key, whichever comes first; undefined if it has none. */
export function secretWorksUntilMs(key: Key, { expiresAtMs }: KeySecret): number | undefined {
  if (expiresAtMs === undefined || key.expiresAtMs === undefined) return expiresAtMs ?? key.expiresAtMs;
  return Math.min(expiresAtMs, key.expiresAtMs);
}

export type KeyState = "active" | "suspended" | "expired" | "revoked";

export function stateOf(key: Key, nowMs: number): KeyState {
  if (key.revokedAtMs !== undefined) return "revoked";
  if (key.expiresAtMs !== undefined && nowMs >= key.expiresAtMs) return "expired";
  return key.suspendedAtMs === undefined ? "active" : "suspended";
}

export const KEY_NAME_MAX_CODE_POINTS = 100;

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** One is a prefix of the other, but no random character is an underscore, so the two never look alike. */
const SECRET_PREFIXES: Readonly<Record<EnvironmentName, string>> = { production: "ask_", staging: "ask_test_" };
const RANDOM_CHARACTERS = 30;
const CHECK_CHARACTERS = 6;
const SECRET_SHAPE = new RegExp(
  `^(?:${Object.values(SECRET_PREFIXES).join("|")})[0-9A-Za-z]{${RANDOM_CHARACTERS + CHECK_CHARACTERS}}$`,
);

/** The prefix only tells where it was issued: a secret works in any store that knows it. */
export const newSecret = (environment: EnvironmentName = "production"): string => {
  const body = SECRET_PREFIXES[environment] + randomBase62(RANDOM_CHARACTERS);
  return body + checksum(body);
};

/** The environment that the prefix of a text names, whether the text is a secret or not. */
export function environmentOfSecret(text: string): EnvironmentName | undefined {
  if (text.startsWith(SECRET_PREFIXES.staging)) return "staging";
  return text.startsWith(SECRET_PREFIXES.production) ? "production" : undefined;
}

export const KEY_ID_PREFIX = "key_";
const ID_CHARACTERS = 12;
const ID_SHAPE = new RegExp(`^${KEY_ID_PREFIX}[0-9A-Za-z]{${ID_CHARACTERS}}$`);

export const newKeyId = (): string => KEY_ID_PREFIX + randomBase62(ID_CHARACTERS);

/** Tells by its form whether a text is the id of a key. A name that an earlier release accepted may look like one. */
export const isKeyId = (text: string): boolean => ID_SHAPE.test(text);

/** Tells a mistyped or made-up secret from one that is worth looking up. */
export function isPlausibleSecret(text: string): boolean {
  if (!SECRET_SHAPE.test(text)) return false;
  const body = text.slice(0, -CHECK_CHARACTERS);
  return checksum(body) === text.slice(-CHECK_CHARACTERS);
}

/** A secret has 178 random bits, so its digest needs no salt and no slow hash. */
export const digestOf = (secret: string): string => sha256Hex(secret);

function checksum(text: string): string {
  let rest = crc32(text);
  let characters = "";
  for (let i = 0; i < CHECK_CHARACTERS; i++) {
    characters = BASE62.charAt(rest % 62) + characters;
    rest = Math.floor(rest / 62);
  }
  return characters;
}

/** Bytes of 248 and above are discarded, so that every character is equally likely. */
export function randomBase62(length: number): string {
  let characters = "";
  while (characters.length < length)
    for (const byte of crypto.getRandomValues(new Uint8Array(length)))
      if (byte < 248 && characters.length < length) characters += BASE62.charAt(byte % 62);
  return characters;
}
