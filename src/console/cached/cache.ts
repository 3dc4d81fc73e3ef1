import { dirname } from "node:path";
import { DAY_MS, SECOND_MS } from "../../base/time/clock.ts";
import type { FindCounters } from "../../keys/queries/counters.ts";
import type { HolderRotation, Store } from "../../store/ports/store.ts";
import { type DatabaseUrl, isEmbedded } from "../../store/urls/database-url.ts";
import { SeenAlerts, type StoreHealth } from "./alerts.ts";
import { BusiestKeys } from "./busiest.ts";
import { CachedValue, type CacheParts } from "./cached-value.ts";
import { stockCounts } from "./counting.ts";
import { type Disk, diskAt } from "./disk.ts";
import { KnownKeys } from "./known-keys.ts";

interface Parts extends CacheParts {
  readonly store: Store;
  readonly counters: FindCounters;
  readonly database: DatabaseUrl;
  /** Finds out how full the disk of the database is; undefined: it is on a database server. */
  readonly findDisk?: (database: DatabaseUrl) => Promise<Disk | undefined>;
}

const HEALTH_MAX_AGE_MS = 10 * SECOND_MS;
const ROTATIONS_MAX_AGE_MS = 10 * SECOND_MS;

/** The slow values that pages show. They are found out in the background, so that no request waits for them. */
export class ConsoleCache {
  readonly keys: KnownKeys;
  readonly stock: ReturnType<typeof stockCounts>;
  readonly busiest: BusiestKeys;
  readonly health: CachedValue<StoreHealth>;
  readonly rotations: CachedValue<readonly HolderRotation[]>;
  readonly alerts = new SeenAlerts();

  #isClosed = false;

  constructor(given: Parts) {
    // The end of this thread interrupts work, which is no failure.
    const onFailure = (error: unknown): void => {
      if (!this.#isClosed) given.onFailure(error);
    };
    const parts = { ...given, onFailure };
    const { store, clock } = parts;
    this.keys = new KnownKeys({ ...parts, keys: store.keys });
    this.stock = stockCounts({ store, clock, onFailure });
    this.busiest = new BusiestKeys({ usage: store.usage, clock, onFailure });
    this.rotations = new CachedValue({
      clock,
      maxAgeMs: ROTATIONS_MAX_AGE_MS,
      find: () => latestRotations(parts),
      onFailure,
    });
    this.health = new CachedValue({ clock, maxAgeMs: HEALTH_MAX_AGE_MS, find: () => healthOf(parts), onFailure });
  }

  /** Called before the store is closed. */
  close(): void {
    this.#isClosed = true;
  }

  /** Resolves when nothing is being found out: every value that was asked for before is there then. */
  async settled(): Promise<void> {
    const { keys, stock, busiest, health, rotations } = this;
    const all = [keys.counted, stock, busiest, health, rotations];
    await Promise.all(all.map((each) => each.settled()));
  }
}

/** Only the last day counts: by then, somebody has looked. */
const latestRotations = async ({ store, clock }: Parts): Promise<readonly HolderRotation[]> =>
  store.keys.rotatedByHolders({ sinceMs: clock.nowMs() - DAY_MS });

async function healthOf({ store, database, findDisk = diskOf }: Parts): Promise<StoreHealth> {
  let answers = true;
  try {
    await store.check();
  } catch {
    // Not reported here: the readiness check of the service logs the same.
    answers = false;
  }
  return { answers, isReadOnly: store.isReadOnly(), disk: await findDisk(database) };
}

export async function diskOf(database: DatabaseUrl): Promise<Disk | undefined> {
  if (!isEmbedded(database)) return undefined;
  return diskAt(dirname(database.path)).catch(() => undefined);
}
