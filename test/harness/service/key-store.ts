import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newTally, type Tally } from "../../../src/domain/limits/tally.ts";
import { countersOf } from "../../../src/keys/queries/counters.ts";
import { openForCommand } from "../../../src/store/open.ts";
import { atEnd } from "../cleanup.ts";
import { SIGNED } from "../rows/author.ts";
import { FakeClock } from "../time/clock.ts";

/** Opens a new SQLite store like a command, and a clock, for the use-cases of keys. */
export async function openKeyStore() {
  const folder = mkdtempSync(join(tmpdir(), "animal-store-"));
  const path = join(folder, "store.db");
  const store = await openForCommand({ kind: "sqlite", path }, { create: true });
  atEnd(async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    path,
    keys: store.keys,
    maintenance: store.maintenance,
    tallies: store.tallies,
    metadata: store.metadata,
    counters: countersOf(store, undefined),
    /** Creates an animal for a key, which saves the response. */
    saveResponse: async (keyId: string, value: string) =>
      store.animals.create(
        { name: "Rex", categoryId: 7n, status: "available" },
        { keyId, value, fingerprint: "f", nowMs: 1 },
      ),
    clock: new FakeClock(),
    environment: "production" as const,
    author: SIGNED,
    journal: store.journal,
  };
}

/** The tally of a key that was banned at this time for one minute. */
export function bannedTally(atMs: number): Tally {
  const tally = newTally();
  Object.assign(tally.minute, { openedAtMs: atMs - 10_000, used: 60 });
  Object.assign(tally.day, { openedAtMs: atMs - 10_000, used: 60 });
  Object.assign(tally.banRecord, { bannedAtMs: atMs, bannedUntilMs: atMs + 60_000, bansInARow: 1 });
  return tally;
}
