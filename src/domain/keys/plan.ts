/** The number of requests that a key may make per window. */
export interface Quotas {
  readonly perMinute: number;
  readonly perDay: number;
}

/** The quotas of each plan. Enterprise quotas are agreed individually and set when the key is issued. */
export const PLANS = {
  free: { perMinute: 60, perDay: 1_000 },
  pro: { perMinute: 300, perDay: 10_000 },
  business: { perMinute: 1_000, perDay: 100_000 },
  enterprise: undefined,
} as const satisfies Record<string, Quotas | undefined>;

export type Plan = keyof typeof PLANS;

export const PLAN_NAMES = Object.keys(PLANS) as readonly Plan[];

/** The largest quota that can be set. */
export const QUOTA_MAX = 1_000_000_000;
export const QUOTA_RULE = `must be a whole number from 1 to ${QUOTA_MAX}`;
