import { lazy } from "../../domain/lazy.ts";
import { done } from "../../domain/result.ts";
import { importOf } from "../import-rows.ts";
import { ALL_IMPORTS, importStatements } from "../import-statements.ts";
import type { ImportStore } from "../store.ts";
import type { Row } from "../table.ts";
import { attempt } from "./attempt.ts";
import { SQLITE } from "./dialect.ts";
import { type Connection, prepared } from "./statements.ts";
import { followOthers } from "./version.ts";
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
