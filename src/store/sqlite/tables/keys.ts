import type { NotedUse } from "../../ports/store.ts";
import { keyChanges, keyReads } from "../../sql/tables/keys.ts";
import { keyRotations } from "../../sql/tables/rotations.ts";
import { run, type Work } from "../../sql/work.ts";
import { SQLITE } from "../sql/dialect.ts";
import { BOOKKEEPING, declareWrites, tableStore } from "./write.ts";

export const keyWrites = declareWrites("keys", BOOKKEEPING, {
  ...keyChanges(SQLITE),
  ...keyRotations(SQLITE),
  /** A use is no change: raising the revision would make every service read its keys again. */
  *noteUse(uses: readonly NotedUse[]): Work<void> {
    for (const { keyId, atMs } of uses)
      yield* run("UPDATE keys SET last_used_at = ?1 WHERE id = ?2 AND coalesce(last_used_at, -1) < ?1", [atMs, keyId]);
  },
});

export const sqliteKeys = tableStore(keyReads(SQLITE), keyWrites);
