import { lazy } from "../../../base/lazy.ts";
import { done } from "../../../base/result.ts";
import type { ImportStore } from "../../ports/store.ts";
import { importOf } from "../../sql/import-rows.ts";
import { ALL_IMPORTS, importStatements } from "../../sql/import-statements.ts";
import type { Row } from "../../sql/table.ts";
import { attempt } from "../sql/attempt.ts";
import { SQLITE } from "../sql/dialect.ts";
import { type Connection, prepared } from "../sql/statements.ts";
import { followOthers } from "../wal/version.ts";
import type { Writes } from "./writer.ts";

export function sqliteImports(connection: Connection, writes: Writes): ImportStore {
  const { list, get } = importStatements(SQLITE);
  const [all, one] = [prepared<Row>(connection, list), prepared<Row>(connection, get)];
  const others = lazy(() => followOthers(connection));

  return {
    list: (size = ALL_IMPORTS) => attempt(() => all().all(size)).map(importOf),
    get(id) {
      const row = attempt(() => one().get(id));
      return row ? importOf(row) : undefined;
    },
    begin: (beginning) => writes.perform("beginImport", beginning),
    async add(batch) {
      const added = await writes.perform("addToImport", batch);
      return added.kind === "done" ? done({ othersWrite: others()(), heldMs: added.value }) : added;
    },
    beginUndo: (request) => writes.perform("beginUndo", request),
    undoSome: (request) => writes.perform("undoSome", request),
  };
}
