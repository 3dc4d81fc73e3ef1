import type { KeyStore, NotedUse } from "../../ports/store.ts";
import { keyChanges, keyReads } from "../../sql/tables/keys.ts";
import { run, type Work } from "../../sql/work.ts";
import { SQLITE } from "../sql/dialect.ts";
import type { Connection } from "../sql/statements.ts";
import { reading } from "./work.ts";
import { BOOKKEEPING, declareWrites, forward, type Writes } from "./write.ts";

export const keyWrites = declareWrites("keys", BOOKKEEPING, {
  ...keyChanges(SQLITE),
  /** A use is no change: raising the revision would make every service read its keys again. */
  *noteUse(uses: readonly NotedUse[]): Work<void> {
    for (const { keyId, atMs } of uses)
      yield* run("UPDATE keys SET last_used_at = ?1 WHERE id = ?2 AND coalesce(last_used_at, -1) < ?1", [atMs, keyId]);
  },
});

export const sqliteKeys = (connection: Connection, writes: Writes): KeyStore => ({
  ...reading(connection, keyReads(SQLITE)),
  ...forward(writes, keyWrites),
});
