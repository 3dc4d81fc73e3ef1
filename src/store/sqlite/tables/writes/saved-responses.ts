import type { Database } from "bun:sqlite";
import { DELETE_BATCH_SIZE } from "../../../sql/rows.ts";
import { prepared } from "../../sql/statements.ts";
import type { Writer } from "../writer.ts";

export function savedResponseWrites(db: Database): Pick<Writer, "deleteSavedResponses"> {
  const deleteSome = prepared(
    db,
    `DELETE FROM saved_responses WHERE (key_id, idempotency_key) IN
      (SELECT key_id, idempotency_key FROM saved_responses WHERE saved_at <= ? LIMIT ?)`,
  );
  return {
    deleteSavedResponses: ({ savedAtMs }) =>
      Number(deleteSome().run(savedAtMs, DELETE_BATCH_SIZE).changes) === DELETE_BATCH_SIZE,
  };
}
