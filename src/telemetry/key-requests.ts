import type { UsageOutcome } from "../domain/usage/usage.ts";

const NAME = "animal_store_key_requests_total";
/** Of one thread. Whoever collects metrics keeps every series for long, so there must not be any number of them. */
const MAX_KEYS = 1_000;
/** Counts for the keys that there is no room for. No id looks like that. */
const OTHER = "other";

/** Requests by key and outcome, as Prometheus wants them. */
export class KeyRequests {
  readonly #counts = new Map<string, Map<UsageOutcome, number>>();

  constructor(private readonly maxKeys = MAX_KEYS) {}

  count(keyId: string, outcome: UsageOutcome): void {
    const counts = this.#counts.get(keyId) ?? this.#add(keyId);
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  }

  /** As prom-client describes its own metrics. */
  snapshot() {
    const values = [...this.#counts].flatMap(([key, counts]) =>
      [...counts].map(([outcome, value]) => ({ labels: { key, outcome }, value })),
    );
    const help = "Requests under /v1 with a valid API key by its id and what came of them";
    return { name: NAME, help, type: "counter", aggregator: "sum", values };
  }

  #add(keyId: string): Map<UsageOutcome, number> {
    const name = this.#counts.size < this.maxKeys ? keyId : OTHER;
    const known = this.#counts.get(name);
    if (known) return known;
    const counts = new Map<UsageOutcome, number>();
    this.#counts.set(name, counts);
    return counts;
  }
}
