/** Requests per window that a key may make. */
export interface Quotas {
  readonly perMinute: number;
  readonly perDay: number;
}

/** The price list. Enterprise quotas are agreed individually and given when the key is issued. */
export const PLANS = {
  free: { perMinute: 60, perDay: 1_000 },
  pro: { perMinute: 300, perDay: 10_000 },
  business: { perMinute: 1_000, perDay: 100_000 },
  enterprise: undefined,
} as const satisfies Record<string, Quotas | undefined>;

export type Plan = keyof typeof PLANS;

export const PLAN_NAMES = Object.keys(PLANS) as readonly Plan[];

export const isPlan = (text: string): text is Plan => Object.hasOwn(PLANS, text);

export const QUOTA_MAX = 1_000_000_000;
