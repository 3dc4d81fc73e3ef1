import type { Scheduler } from "../timeouts/scheduler.ts";
import { CircuitBreaker } from "./circuit-breaker.ts";

export interface ServerBreakersParts {
  readonly scheduler: Scheduler;
  /** Calls a server without effect, in the same way as real calls. Rejects if it does not work. */
  readonly probe: (server: string) => Promise<unknown>;
  /** `replaced`: it was away, and another server counts instead. */
  readonly onChange: (server: string, state: "away" | "back" | "replaced", error?: unknown) => void;
}

/** A circuit breaker for each server: the loss of one changes nothing for the others. */
export class ServerBreakers {
  readonly #breakers = new Map<string, CircuitBreaker>();
  #open = 0;

  constructor(private readonly parts: ServerBreakersParts) {}

  /** True: all servers work, so no request needs to know which one counts for it. */
  get areAllClosed(): boolean {
    return this.#open === 0;
  }

  isOpen(server: string): boolean {
    return this.#breakers.get(server)?.isOpen ?? false;
  }

  suspect(server: string): void {
    this.#breakerOf(server).suspect();
  }

  trip(server: string, error: unknown): void {
    this.#breakerOf(server).trip(error);
  }

  /** Ends the breakers of all other servers, where nothing is counted any more. */
  retain(servers: readonly string[]): void {
    for (const [server, breaker] of this.#breakers) {
      if (servers.includes(server)) continue;
      breaker.dispose();
      this.#breakers.delete(server);
      if (!breaker.isOpen) continue;
      this.#open--;
      this.parts.onChange(server, "replaced");
    }
  }

  /** Ends the probes. */
  dispose(): void {
    for (const breaker of this.#breakers.values()) breaker.dispose();
  }

  #breakerOf(server: string): CircuitBreaker {
    const known = this.#breakers.get(server);
    if (known) return known;
    const breaker = new CircuitBreaker({
      scheduler: this.parts.scheduler,
      probe: () => this.parts.probe(server),
      onChange: (isOpen, error) => {
        this.#open += isOpen ? 1 : -1;
        this.parts.onChange(server, isOpen ? "away" : "back", error);
      },
    });
    this.#breakers.set(server, breaker);
    return breaker;
  }
}
