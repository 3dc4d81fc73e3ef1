import type { UsageOutcome } from "../domain/usage/usage.ts";

const NAME = "animal_store_key_requests_total";
/** The limit of one thread. Collectors of metrics keep every series for long, so their number must be bounded. */
const MAX_KEYS = 1_000;
/** The label of all keys beyond the limit. No id looks like that. */
const OTHER = "other";

/** A Prometheus counter of requests by key and outcome. To count takes an eighth of prom-client's time. */
export class KeyRequests {
  readonly #counts = new Map<string, Map<UsageOutcome, number>>();

  count(keyId: string, outcome: UsageOutcome): void {
    const counts = this.#counts.get(keyId) ?? this.#add(keyId);
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  }

  /** In the shape of prom-client's getMetricsAsJSON(). */
  snapshot() {
    const values = [...this.#counts].flatMap(([key, counts]) =>
      [...counts].map(([outcome, value]) => ({ labels: { key, outcome }, value })),
    );
    const help = "Requests under /v1 with a valid API key by its id and what came of them";
    return { name: NAME, help, type: "counter", aggregator: "sum", values };
  }

  #add(keyId: string): Map<UsageOutcome, number> {
    const name = this.#counts.size < MAX_KEYS ? keyId : OTHER;
    const counts = this.#counts.get(name) ?? new Map<UsageOutcome, number>();
    this.#counts.set(name, counts);
    return counts;
  }
}
