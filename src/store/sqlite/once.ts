import type { Database } from "bun:sqlite";
import { judgeRepeat, type Once, type Written } from "../../domain/once.ts";
import { onceRecordOf, type Row } from "../rows.ts";
import { prepared } from "./statements.ts";

/** What became of a write when it was asked for before; undefined: it is the first, or has no token. */
export type RepeatOf = (once: Once | undefined) => Written<never> | undefined;

export function repeatFinder(db: Database): RepeatOf {
  const find = prepared<Row, [string, string]>(db, "SELECT * FROM answers WHERE key_id = ? AND token = ?");
  return (once) => once && judgeRepeat(onceRecordOf(find().get(once.keyId, once.token)), once);
}
