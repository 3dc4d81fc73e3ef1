import type { KeyStore } from "../../ports/store.ts";
import { keyChanges, keyReads } from "../../sql/tables/keys.ts";
import { keyRotations } from "../../sql/tables/rotations.ts";
import { POSTGRES, rowsParameter } from "../connections/dialect.ts";
import { reading, transacting } from "../connections/work.ts";
import type { Pool } from "../database.ts";
import { transactingOnce } from "./idempotency.ts";

/** Locks keys in one order, so that instances that record the same keys do not deadlock. */
const NOTE_USE = `UPDATE keys k SET last_used_at = l.used_at FROM (
    SELECT keys.id, u.last_used_at AS used_at FROM keys
    JOIN json_populate_recordset(NULL::keys, $1::text::json) u ON u.id = keys.id
    WHERE coalesce(keys.last_used_at, -1) < u.last_used_at ORDER BY keys.id FOR NO KEY UPDATE OF keys
  ) l WHERE k.id = l.id`;

const { rotate, rotateOwn } = keyRotations(POSTGRES);

export const postgresKeys = (pool: Pool): KeyStore => ({
  ...reading(pool, keyReads(POSTGRES)),
  ...transacting(pool, { ...keyChanges(POSTGRES), rotate }),
  ...transactingOnce(pool, { rotateOwn }),
  async noteUse(uses) {
    await pool.write(NOTE_USE, [rowsParameter(uses.map(({ keyId, atMs }) => ({ id: keyId, last_used_at: atMs })))]);
  },
});
