import type { Scheduler } from "../timeouts/scheduler.ts";

const PROBE_DELAY_MS = 250;
const PROBE_DELAY_MAX_MS = 10_000;
/** A failure this soon after a recovery means that the recovery was not real. */
const RELAPSE_PERIOD_MS = 10_000;

const newCircuit = () => ({
  isSuspected: false,
  isDisposed: false,
  probeDelayMs: PROBE_DELAY_MS,
  recoveredAtMs: Number.NEGATIVE_INFINITY,
  cancelProbe: () => {},
});

type Circuit = ReturnType<typeof newCircuit>;

function dispose(circuit: Circuit): void {
  circuit.isDisposed = true;
  circuit.cancelProbe();
}

/** Stops the calls to a server that fails, until a probe of it succeeds. The loss of one changes nothing for others. */
export class CircuitBreakers {
  readonly #circuits = new Map<string, Circuit>();
  /** The servers that must not be called. */
  readonly #open = new Set<string>();

  constructor(
    private readonly parts: {
      readonly scheduler: Scheduler;
      /** Calls a server without effect, in the same way as real calls. Rejects if it does not work. */
      readonly probe: (server: string) => Promise<unknown>;
      /** `replaced`: it was away, and another server counts instead. */
      readonly onChange: (server: string, state: "away" | "back" | "replaced", error?: unknown) => void;
    },
  ) {}

  /** True: all servers work, so no request needs to know which one counts for it. */
  get areAllClosed(): boolean {
    return this.#open.size === 0;
  }

  isOpen(server: string): boolean {
    return this.#open.has(server);
  }

  /** Records a call that took too long, which may be the fault of this process: a probe decides at once. */
  suspect(server: string): void {
    const circuit = this.#circuitOf(server);
    if (circuit.isSuspected || this.isOpen(server)) return;
    circuit.isSuspected = true;
    this.parts
      .probe(server)
      .catch((error: unknown) => this.#trip(server, circuit, error))
      .finally(() => {
        circuit.isSuspected = false;
      });
  }

  /** Records a failed call: no more calls until a probe succeeds. After a relapse the probes wait twice as long. */
  trip(server: string, error: unknown): void {
    this.#trip(server, this.#circuitOf(server), error);
  }

  /** Ends the probes of all other servers, where nothing is counted any more. */
  retain(servers: readonly string[]): void {
    for (const [server, circuit] of this.#circuits) {
      if (servers.includes(server)) continue;
      dispose(circuit);
      this.#circuits.delete(server);
      if (this.#open.delete(server)) this.parts.onChange(server, "replaced");
    }
  }

  /** Ends the probes. */
  dispose(): void {
    this.#circuits.forEach(dispose);
  }

  #circuitOf(server: string): Circuit {
    const circuit = this.#circuits.get(server) ?? newCircuit();
    this.#circuits.set(server, circuit);
    return circuit;
  }

  #trip(server: string, circuit: Circuit, error: unknown): void {
    const { scheduler, onChange } = this.parts;
    if (this.isOpen(server) || circuit.isDisposed) return;
    this.#open.add(server);
    const isRelapse = scheduler.nowMs() - circuit.recoveredAtMs < RELAPSE_PERIOD_MS;
    circuit.probeDelayMs = isRelapse ? Math.min(2 * circuit.probeDelayMs, PROBE_DELAY_MAX_MS) : PROBE_DELAY_MS;
    onChange(server, "away", error);
    this.#scheduleProbe(server, circuit);
  }

  #scheduleProbe(server: string, circuit: Circuit): void {
    const { scheduler, probe } = this.parts;
    if (circuit.isDisposed) return;
    circuit.cancelProbe = scheduler.schedule(circuit.probeDelayMs, () => {
      probe(server).then(
        () => this.#close(server, circuit),
        () => this.#scheduleProbe(server, circuit),
      );
    });
  }

  #close(server: string, circuit: Circuit): void {
    if (circuit.isDisposed) return;
    this.#open.delete(server);
    circuit.recoveredAtMs = this.parts.scheduler.nowMs();
    this.parts.onChange(server, "back");
  }
}
