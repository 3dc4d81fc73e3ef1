import type { Random } from "../common/random.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { Client } from "../workload/client.ts";
import { workers } from "../workload/load.ts";
import type { Stage } from "./stage.ts";

export const WORKERS = 8;

export interface Load {
  readonly forMs: number;
  readonly random: Random;
  /** Work that runs beside the load, which lasts at least as long. */
  readonly beside?: (isOver: () => boolean) => Promise<void>;
  /** True if the service must recover, once the disk has, before it ends. */
  readonly mustRecover?: boolean;
  /** The signal that ends the service; chosen at random by default. */
  readonly signal?: "SIGTERM" | "SIGKILL";
}

/** Runs a service under a mixed load, of which at least one write is acknowledged, and ends it. */
export async function loadService(stage: Stage, ledger: Ledger, load: Load): Promise<void> {
  const { forMs, random, beside, mustRecover = false, signal = random.chance(0.5) ? "SIGTERM" : "SIGKILL" } = load;
  const secret = await issueWorkersKey(stage, ledger);
  const service = await stage.serveWithThreads();
  const client = new Client(service.origin, secret);
  const endsAtMs = performance.now() + forMs;
  const isTimeUp = (): boolean => performance.now() >= endsAtMs;
  const acknowledgedBefore = ledger.board.of("acknowledged");
  let isBesideOver = false;
  let haveAllLeft = false;
  // On a busy machine, a disk that keeps failing may let nothing pass in that time: then the load goes on until it does.
  const hasPassed = (): boolean => ledger.board.of("acknowledged") > acknowledgedBefore;
  const isOver = (): boolean => haveAllLeft || (isTimeUp() && isBesideOver && hasPassed());
  const work = workers(ledger, WORKERS, random).map((worker) => worker.work(client, isOver));
  await Promise.all([
    Promise.all(work).finally(() => {
      haveAllLeft = true;
    }),
    manageKeys(stage, ledger, isOver),
    Promise.resolve(beside?.(isTimeUp)).finally(() => {
      isBesideOver = true;
    }),
  ]);
  if (mustRecover) await recover(stage, ledger, service.origin);
  await service.kill(signal);
  stage.setFaults();
}

const RECOVERY_TIMEOUT_MS = 20_000;

/** Makes the disk well again, after which the service must accept writes again. */
export async function recover(stage: Stage, ledger: Ledger, origin: string): Promise<void> {
  stage.setFaults();
  const deadlineMs = performance.now() + RECOVERY_TIMEOUT_MS;
  while (performance.now() < deadlineMs) {
    if (await isReady(origin)) return;
    await Bun.sleep(50);
  }
  ledger.board.violation("the service was not ready again 20 s after the disk was well");
}

/** Ready means that writes are accepted, too. */
export const isReady = async (origin: string): Promise<boolean> => (await fetch(`${origin}/readyz`)).ok;

/** Issues the key that the workers use. */
export async function issueWorkersKey(stage: Stage, ledger: Ledger): Promise<string> {
  const step = ledger.key("workers").send("active", ledger.now());
  const quotas = ["--per-minute", "1000000000", "--per-day", "1000000000"];
  const args = ["keys", "create", "--name", "workers", "--plan", "enterprise", ...quotas, "--json"];
  await stage.run("migrate");
  const { out, err } = await stage.run(...args);
  if (out === "") throw new Error(`cannot issue a key: ${err}`);
  step.ackedAt = ledger.now();
  return JSON.parse(out).secret;
}

/** Issues and revokes keys on the command line, beside the service. */
async function manageKeys(stage: Stage, ledger: Ledger, isOver: () => boolean): Promise<void> {
  for (let i = 0; !isOver(); i++) {
    const name = `client ${i}`;
    const history = ledger.key(name);
    const creating = history.send("active", ledger.now());
    const created = await stage.run("keys", "create", "--name", name, "--plan", "free", "--json");
    if (created.exitCode !== 0) continue;
    creating.ackedAt = ledger.now();
    const revoking = history.send("revoked", ledger.now());
    const revoked = await stage.run("keys", "revoke", JSON.parse(created.out).id, "--yes");
    if (revoked.exitCode !== 0) continue;
    revoking.ackedAt = ledger.now();
    ledger.board.count("keys created and revoked");
  }
}
