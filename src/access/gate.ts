import { type Awaitable, andThen } from "../base/time/awaitable.ts";
import type { Clock } from "../base/time/clock.ts";
import type { EnvironmentName } from "../domain/environment.ts";
import { environmentOfSecret, type Key, type KeyProblem, problemWith } from "../domain/keys/key.ts";
import {
  type QuotaStatus,
  type RatePolicy,
  ratePolicyOfAddress,
  ratePolicyOfKey,
  strikesLeft,
  type Verdict,
} from "../domain/limits/tally.ts";
import type { CountedKey } from "../domain/usage/usage.ts";
import type { Meter } from "../meter/meter.ts";
import { readBearer } from "./bearer.ts";
import type { Keyring, KnownKey } from "./keyring.ts";

export interface Pass {
  readonly kind: "pass";
  readonly key: Key;
  readonly counted: CountedKey;
  readonly quotaStatus: QuotaStatus;
}

export interface Refusal {
  readonly kind: "refusal";
  readonly reason: RefusalReason;
  readonly quotaStatus: QuotaStatus;
  /** The key that was refused, if there is a valid one. */
  readonly key?: Key;
  readonly counted?: CountedKey;
  /** The key whose secret has expired or was revoked, for the log alone. */
  readonly invalidKeyId?: string;
}

export type RefusalReason =
  /** The service is still starting. */
  | { readonly kind: "starting" }
  /** No credential was sent, a malformed one, or one that no key has. */
  | { readonly kind: "missing" | "malformed" | "unknown" }
  /** No key has it, and its prefix is that of the other environment. */
  | { readonly kind: "foreign"; readonly of: EnvironmentName }
  | KeyProblem
  /** A quota is used up. */
  | { readonly kind: "exhausted"; readonly strikesLeft: number | undefined }
  /** `isNew`: this very request has caused the ban. */
  | { readonly kind: "banned"; readonly isNew: boolean }
  /** An address without a valid key has used up its quota. */
  | { readonly kind: "address_exhausted" };

export type Admission = Pass | Refusal;

export interface GateParts {
  readonly clock: Clock;
  readonly keyring: Pick<Keyring, "recall" | "find" | "noteUse">;
  readonly keyMeter: Meter;
  readonly addressMeter: Meter;
  readonly addressPolicy: RatePolicy;
  readonly environment: EnvironmentName;
}

export type Gate = ReturnType<typeof createGate>;

/** Loading the reference takes four requests, and fewer when the browser has some of it already. */
const VISITOR_POLICY = ratePolicyOfAddress(120);

/** Checks credential, key, ban and quotas, in this order. A refusal is a value; only a broken store throws. */
export function createGate(parts: GateParts) {
  const { clock, keyring, keyMeter, addressMeter, addressPolicy } = parts;
  const gate = {
    /** Finds out who is calling, and whether they may now. Asks for the address only when there is no valid key. */
    admit: turnAway as typeof admit,
    /** Starts to admit requests. Until then nobody is admitted, and every request is counted for its address. */
    open(): void {
      // A replaced method costs a request nothing; a flag would be checked by each.
      gate.admit = admit;
    },
    /** Resolves to how many more refused requests in this minute lead to a ban of a key that was admitted. */
    strikesLeft: ({ key, quotaStatus }: Pass): Awaitable<number> =>
      andThen(keyMeter.tally(key.id), (tally) =>
        strikesLeft(tally, ratePolicyOfKey(key.quotas, key.unbannedAtMs), quotaStatus.atMs),
      ),
    /** Counts a request of a caller whose key cannot be looked up. */
    countAddress: (address: string): Awaitable<QuotaStatus> =>
      andThen(addressMeter.judge(address, addressPolicy), ({ quotaStatus }) => quotaStatus),
    /** Judges whether a visitor may see a page now. Pages need no key, and are counted apart from requests that do. */
    admitVisitor: (address: string): Awaitable<Verdict> => addressMeter.judge(`visitor ${address}`, VISITOR_POLICY),
  };
  return gate;

  function turnAway(_: string | null, address: () => string): Awaitable<Refusal> {
    return andThen(gate.countAddress(address()), (quotaStatus) => ({
      kind: "refusal",
      reason: { kind: "starting" },
      quotaStatus,
    }));
  }

  function admit(authorization: string | null, address: () => string): Awaitable<Admission> {
    const known = authorization === null ? undefined : keyring.recall(authorization);
    if (known) return admitKey(known, address);
    const credential = readBearer(authorization);
    if (credential.kind !== "secret") return refuseAnonymous(credential, address);
    // An address that has used up its quota must not cost a query for each key that it makes up.
    const isThrottled = () => addressMeter.isRefused(address(), addressPolicy);
    return andThen(keyring.find(credential.secret, isThrottled), (found) =>
      found ? admitKey(found, address) : refuseAnonymous(reasonNotToKnow(credential.secret), address),
    );
  }

  /** Judges by the prefix alone, so that the answer says nothing about the other environment's keys. */
  function reasonNotToKnow(secret: string): RefusalReason {
    const of = environmentOfSecret(secret);
    return of === undefined || of === parts.environment ? { kind: "unknown" } : { kind: "foreign", of };
  }

  function admitKey(known: KnownKey, address: () => string): Awaitable<Admission> {
    const { key, secret, policy, neverExpires, counted } = known;
    const problem = neverExpires ? undefined : problemWith(key, secret, clock.nowMs());
    if (problem) return refuseAnonymous(problem, address, key.id);
    if (!known.isUsed) keyring.noteUse(known);
    return andThen(keyMeter.judge(key.id, policy), (verdict): Admission => {
      const { quotaStatus } = verdict;
      if (verdict.kind === "pass") return { kind: "pass", key, counted, quotaStatus };
      return { kind: "refusal", reason: verdict, quotaStatus, key, counted };
    });
  }

  /** Without a valid key, requests are counted for the address. */
  function refuseAnonymous(reason: RefusalReason, address: () => string, invalidKeyId?: string): Awaitable<Refusal> {
    return andThen(addressMeter.judge(address(), addressPolicy), ({ kind, quotaStatus }) => ({
      kind: "refusal",
      reason: kind === "pass" ? reason : { kind: "address_exhausted" },
      quotaStatus,
      ...(invalidKeyId === undefined ? {} : { invalidKeyId }),
    }));
  }
}
