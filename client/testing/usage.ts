import { atGrain, startOf, type UsageSum } from "../../src/domain/usage/grains.ts";
import {
  type CountedKey,
  newCounts,
  placeOfLatency,
  placeOfOutcome,
  type UsageCounts,
  type UsageOutcome,
} from "../../src/domain/usage/usage.ts";
import type { UsageStore } from "../../src/store/ports/usage.ts";
import type { UsageCount } from "../../src/telemetry/telemetry.ts";

/** Requests take no time here: their latency is the least that there is, in every run. */
const LATENCY_MS = 0;

/** The outcomes of each key's requests, known at once. In the service, counts reach the store after some seconds. */
export class Usage implements UsageCount, Pick<UsageStore, "ofKey"> {
  readonly #sums = new Map<string, UsageSum & { readonly counts: UsageCounts }>();

  count(key: CountedKey | undefined, outcome: UsageOutcome, _ms: number, atMs: number): void {
    if (!key) return;
    const startedAtMs = startOf("minute", atMs);
    const name = `${startedAtMs} ${key.keyId}`;
    const sum = this.#sums.get(name) ?? { keyId: key.keyId, startedAtMs, counts: newCounts() };
    this.#sums.set(name, sum);
    const place = placeOfOutcome(outcome);
    (sum.counts[place] as number)++;
    const ofLatency = placeOfLatency(place, LATENCY_MS);
    if (ofLatency >= 0) (sum.counts[ofLatency] as number)++;
  }

  ofKey(keyId: string, { grain, fromMs, beforeMs }: Parameters<UsageStore["ofKey"]>[1]): readonly UsageSum[] {
    const own = [...this.#sums.values()].filter((sum) => sum.keyId === keyId);
    return atGrain(grain, own).filter(({ startedAtMs }) => startedAtMs >= fromMs && startedAtMs < beforeMs);
  }
}
