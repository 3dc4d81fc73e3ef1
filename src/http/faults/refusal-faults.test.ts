import { expect, test } from "bun:test";
import type { RefusalReason } from "../../access/gate.ts";
import { PLANS } from "../../domain/keys/plan.ts";
import { judge, newTally, ratePolicyOfKey } from "../../domain/limits/tally.ts";
import { refusalFault } from "./refusal-faults.ts";

const { quotaStatus } = judge(newTally(), ratePolicyOfKey(PLANS.free, undefined), 0);
const replyTo = (reason: RefusalReason) => refusalFault({ kind: "refusal", reason, quotaStatus }).reply;

test("a refusal that is the same for many callers is encoded once, and one of a single key is not encoded", () => {
  for (const kind of ["missing", "malformed", "unknown", "revoked", "suspended", "replaced"] as const)
    expect(replyTo({ kind })).toBe(replyTo({ kind }));
  for (const of of ["production", "staging"] as const)
    expect(replyTo({ kind: "foreign", of })).toBe(replyTo({ kind: "foreign", of }));
  expect(replyTo({ kind: "expired", atMs: 0 }).body).toBeString();
});
