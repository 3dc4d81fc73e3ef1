import { expect, test } from "bun:test";
import fc from "fast-check";
import { done, refused } from "../../base/result.ts";
import { PLAN_NAMES, PLANS, QUOTA_MAX } from "../keys/plan.ts";
import { isQuota, quotasOn } from "./quotas.ts";

const quota = fc.integer({ min: 1, max: QUOTA_MAX });
const fixedPlan = fc.constantFrom(...PLAN_NAMES.filter((plan) => PLANS[plan] !== undefined));

test("a plan of the price list has its own quotas, and takes no others", () => {
  fc.assert(
    fc.property(fixedPlan, fc.option(quota, { nil: undefined }), fc.option(quota, { nil: undefined }), (plan, a, b) => {
      const isAsked = a !== undefined || b !== undefined;
      expect(quotasOn(plan, { perMinute: a, perDay: b })).toEqual(
        isAsked ? refused({ kind: "plan_has_fixed_quotas", plan }) : done(PLANS[plan] as never),
      );
    }),
  );
});

test("Enterprise takes any quotas of which the minute's does not exceed the day's", () => {
  fc.assert(
    fc.property(quota, quota, (perMinute, perDay) => {
      expect(quotasOn("enterprise", { perMinute, perDay })).toEqual(
        perMinute <= perDay ? done({ perMinute, perDay }) : refused({ kind: "minute_exceeds_day" }),
      );
    }),
  );
});

test("Enterprise needs both quotas, and says which are missing", () => {
  expect(quotasOn("enterprise", {})).toEqual(
    refused({ kind: "plan_needs_quotas", plan: "enterprise", missing: ["perMinute", "perDay"] }),
  );
  expect(quotasOn("enterprise", { perMinute: 5 })).toEqual(
    refused({ kind: "plan_needs_quotas", plan: "enterprise", missing: ["perDay"] }),
  );
  expect(quotasOn("enterprise", { perDay: 5 })).toEqual(
    refused({ kind: "plan_needs_quotas", plan: "enterprise", missing: ["perMinute"] }),
  );
});

test("a quota is a whole number from 1 to a billion, on any plan", () => {
  fc.assert(fc.property(quota, (value) => isQuota(value)));
  for (const value of [0, -1, 1.5, QUOTA_MAX + 1, Number.NaN, Number.POSITIVE_INFINITY]) {
    expect(isQuota(value)).toBe(false);
    expect(quotasOn("enterprise", { perMinute: 1, perDay: value })).toEqual(
      refused({ kind: "invalid_quotas", invalid: ["perDay"] }),
    );
    expect(quotasOn("free", { perMinute: value, perDay: value })).toEqual(
      refused({ kind: "invalid_quotas", invalid: ["perMinute", "perDay"] }),
    );
  }
});
