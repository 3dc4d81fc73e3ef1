import { done, type Result, refused } from "../../base/result.ts";
import { PLANS, type Plan, QUOTA_MAX, type Quotas } from "../keys/plan.ts";

export const isQuota = (value: number): boolean => Number.isInteger(value) && value >= 1 && value <= QUOTA_MAX;

/** The quotas that somebody asks for. An undefined one is left to the plan. */
export type QuotaRequest = { readonly [Name in keyof Quotas]?: number | undefined };

export type QuotaRefusal =
  | { readonly kind: "invalid_quotas"; readonly invalid: readonly (keyof Quotas)[] }
  | { readonly kind: "plan_has_fixed_quotas"; readonly plan: Plan }
  | { readonly kind: "plan_needs_quotas"; readonly plan: Plan; readonly missing: readonly (keyof Quotas)[] }
  | { readonly kind: "minute_exceeds_day" };

const QUOTA_NAMES = ["perMinute", "perDay"] as const;

/**
 * The new quotas of a key, if its plan or its quotas are to change; undefined if neither is. On a plan without quotas
 * of its own, those that are not asked for stay.
 */
export function changedQuotas(
  current: { readonly plan: Plan; readonly quotas: Quotas },
  plan: Plan | undefined,
  requested: QuotaRequest,
): Result<Quotas | undefined, QuotaRefusal> {
  if (plan === undefined && QUOTA_NAMES.every((name) => requested[name] === undefined)) return done(undefined);
  const next = plan ?? current.plan;
  if (PLANS[next] !== undefined || next !== current.plan) return quotasOn(next, requested);
  const { perMinute = current.quotas.perMinute, perDay = current.quotas.perDay } = requested;
  return quotasOn(next, { perMinute, perDay });
}

/** The quotas of a key on a plan: the plan's own, or those that are asked for if it has none. */
export function quotasOn(plan: Plan, requested: QuotaRequest): Result<Quotas, QuotaRefusal> {
  const given = QUOTA_NAMES.filter((name) => requested[name] !== undefined);
  const invalid = given.filter((name) => !isQuota(requested[name] as number));
  if (invalid.length > 0) return refused({ kind: "invalid_quotas", invalid });
  const fixed = PLANS[plan];
  if (fixed) return given.length === 0 ? done(fixed) : refused({ kind: "plan_has_fixed_quotas", plan });
  const { perMinute, perDay } = requested;
  if (perMinute === undefined || perDay === undefined)
    return refused({ kind: "plan_needs_quotas", plan, missing: QUOTA_NAMES.filter((name) => !given.includes(name)) });
  return perMinute > perDay ? refused({ kind: "minute_exceeds_day" }) : done({ perMinute, perDay });
}
