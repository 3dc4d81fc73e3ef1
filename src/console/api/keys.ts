import type { Key, KeyState } from "../../domain/keys/key.ts";
import type { Plan } from "../../domain/keys/plan.ts";
import type { Scope } from "../../domain/keys/scope.ts";

/** The use of a quota. */
export interface WindowView {
  readonly quota: number;
  readonly used: number;
  /** Null: the window is not open. */
  readonly resetsAtMs: number | null;
}

/** The state of a key, including a ban, which only the counters show. */
export type KeyStateView = KeyState | "banned";

export interface KeyRowView extends Pick<Key, "id" | "name" | "plan" | "scopes"> {
  readonly state: KeyStateView;
  readonly bannedUntilMs: number | null;
  readonly expiresAtMs: number | null;
  readonly lastUsedAtMs: number | null;
  /** Null: counted in Redis, which does not answer. */
  readonly today: WindowView | null;
}

/** The outcomes of a request that a list of keys tells apart. */
export type KeyOutcome = "passed" | "clientErrors" | "refused" | "failed";

export interface ListedKeyView extends KeyRowView {
  /** The requests that were refused in the last 24 hours. Null: not counted yet. */
  readonly refused: number | null;
  /** Its requests by outcome and hour. Null: there were none, or they are not counted yet. */
  readonly hours: Readonly<Record<KeyOutcome, readonly number[]>> | null;
  /** True: other keys have the same name. */
  readonly isNameShared: boolean;
}

/** A state, or any but revoked. */
export type KeyStateFilter = KeyStateView | "not_revoked";

/** The columns that keys can be sorted by. */
export type KeyColumn = "name" | "plan" | "state" | "today" | "lastUsed" | "refused";
/** Ascending or descending. */
export type KeySort = KeyColumn | `-${KeyColumn}`;

/**
 * GET /console/api/keys?search=&name=&plan=&state=&sort=&page=1 : 50 a page, the newest first unless `sort` says
 * otherwise. `name` selects those with just it.
 */
export interface KeyListView {
  readonly keys: readonly ListedKeyView[];
  readonly page: number;
  readonly pages: number;
  /** The number of keys that match, and of all. */
  readonly matching: number;
  readonly total: number;
  readonly usedThisWeek: number;
  readonly areBansKnown: boolean;
}

/** GET /console/api/keys/{id}. DELETE takes a ConfirmedForm, waits for requests with it, and answers 204. */
export interface KeyView extends KeyRowView, Pick<Key, "quotas" | "createdAtMs" | "mayRotate"> {
  readonly suspendedAtMs: number | null;
  readonly revokedAtMs: number | null;
  readonly minute: WindowView | null;
  /** Refusals left in this minute before a ban, bans in a row, and the length of the next one. */
  readonly bans: {
    readonly strikesLeft: number;
    readonly inARow: number;
    readonly nextBanMs: number;
    readonly forgottenAtMs: number | null;
  } | null;
  readonly secrets: readonly { readonly createdAtMs: number | null; readonly worksUntilMs: number | null }[];
}

/** POST /console/api/keys */
export interface NewKeyForm {
  readonly name: string;
  readonly plan: Plan;
  /** For Enterprise, or to replace those of the plan. */
  readonly perMinute?: number;
  readonly perDay?: number;
  readonly scopes: readonly Scope[];
  /** The holder may rotate the secret; not unless it is set. */
  readonly mayRotate?: boolean;
  /** Null: never. */
  readonly expiresAtMs: number | null;
}

/** The response to POST /keys and POST /keys/{id}/rotate, the only one with the secret. */
export interface IssuedView {
  readonly key: KeyView;
  readonly secret: string;
}

/** PATCH /console/api/keys/{id}: absent fields stay as they are. Answers with KeyView. */
export type KeyEditForm = Partial<NewKeyForm>;

/**
 * POST /console/api/keys/{id}/rotate. Beside it, and answered with KeyView: …/revoke with a ConfirmedForm, and …/suspend,
 * …/resume and …/unban without a form.
 */
export interface RotateForm {
  /** The old secrets keep working for this long. */
  readonly overlapMs: number;
}
