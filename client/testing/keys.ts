import { type KnownKey, knownKey } from "../../src/access/keyring.ts";
import type { Clock } from "../../src/base/time/clock.ts";
import { newKey, newSecret } from "../../src/domain/keys/key.ts";
import { PLAN_NAMES, QUOTA_RULE } from "../../src/domain/keys/plan.ts";
import { inOrder, isScope, SCOPES } from "../../src/domain/keys/scope.ts";
import { quotasOn } from "../../src/domain/limits/quotas.ts";
import type { TestKeyOptions } from "../src/testing.ts";

const BOUNDLESS = { perMinute: 1_000_000, perDay: 1_000_000 };

/** The keys of a test store, as the gate asks for them. */
export function issuedKeys(clock: Clock) {
  const known = new Map<string, KnownKey>();
  return {
    recall: () => undefined,
    find: (secret: string) => known.get(secret),
    noteUse: (key: KnownKey) => {
      key.isUsed = true;
    },
    /** Returns the secret of a new key. */
    issue({ plan = "business", quotas, scopes = SCOPES, name = "test", expiresAt }: TestKeyOptions): string {
      if (!PLAN_NAMES.includes(plan)) throw new TypeError(`plan is ${plan}. It must be ${PLAN_NAMES.join(", ")}.`);
      const wrong = scopes.find((scope) => !isScope(scope));
      if (wrong !== undefined) throw new TypeError(`scopes has ${wrong}. There are ${SCOPES.join(", ")}.`);
      const expiresAtMs = expiresAt?.getTime();
      if (Number.isNaN(expiresAtMs)) throw new TypeError("expiresAt is not a valid date.");
      const secret = newSecret();
      const key = newKey({
        ...{ name, plan, quotas: agreed(plan, quotas), scopes: inOrder(scopes) },
        ...{ createdAtMs: clock.nowMs(), expiresAtMs },
      });
      known.set(secret, knownKey({ key, secret: { expiresAtMs: undefined } }));
      return secret;
    },
  };
}

function agreed(plan: NonNullable<TestKeyOptions["plan"]>, quotas: TestKeyOptions["quotas"]) {
  const result = quotasOn(plan, quotas ?? (plan === "enterprise" ? BOUNDLESS : {}));
  if (result.kind === "done") return result.value;
  const { kind } = result.reason;
  if (kind === "plan_has_fixed_quotas") throw new TypeError(`quotas cannot be given: those of ${plan} are fixed.`);
  if (kind === "minute_exceeds_day") throw new TypeError("quotas has a perMinute that is greater than its perDay.");
  throw new TypeError(`quotas must have perMinute and perDay, each of which ${QUOTA_RULE}.`);
}
