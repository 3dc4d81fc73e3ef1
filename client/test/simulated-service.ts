import { judge, newTally, type QuotaStatus, type RatePolicy, ratePolicyOfKey } from "../../src/domain/limits/tally.ts";
import { refusalFault } from "../../src/http/faults/refusal-faults.ts";
import { HeaderTemplate, NO_FIELDS } from "../../src/http/reply/header-template.ts";
import type { Answered } from "../src/pacing/quota-status.ts";

/** The service's rules of limits and bans, with its headers, but without the service. */
export class SimulatedService {
  readonly #tally = newTally();
  readonly #policy: RatePolicy;
  /** The number of requests that a quota has refused. */
  strikes = 0;
  bans = 0;

  constructor(perMinute: number, perDay: number) {
    this.#policy = ratePolicyOfKey({ perMinute, perDay }, undefined);
  }

  judge(nowMs: number): Answered {
    const verdict = judge(this.#tally, this.#policy, nowMs);
    if (verdict.kind === "pass")
      return { status: 200, headers: headersOf(verdict.quotaStatus), retryAfterMs: undefined };
    if (verdict.kind === "exhausted") this.strikes++;
    else if (verdict.isNew) this.bans++;
    const fault = refusalFault({ kind: "refusal", reason: verdict, quotaStatus: verdict.quotaStatus });
    const retryAfterMs = Number(fault.headers["Retry-After"]) * 1000;
    return { status: fault.status, headers: headersOf(verdict.quotaStatus), retryAfterMs };
  }
}

const headersOf = (quotaStatus: QuotaStatus): Headers =>
  new Headers(HeaderTemplate.for(NO_FIELDS, false, false).fill("id", quotaStatus, NO_FIELDS, undefined));
