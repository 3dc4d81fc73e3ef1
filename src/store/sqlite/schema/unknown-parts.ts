import type { Database } from "bun:sqlite";
import { OperatorError } from "../../../base/operator-error.ts";
import { quote } from "../../../base/text/text.ts";
import { SQLITE_MIGRATIONS } from "../../migrations/sqlite/index.ts";
import { newestOf } from "../../schema/migrate.ts";
import { everMade } from "./expected-schema.ts";
import { appliedMigrations } from "./migration-target.ts";
import { withoutNameIndex } from "./name-index.ts";

// A trigger or a view in a file that somebody has prepared acts within our own statements: it could sign somebody in
// again, or swallow entries of the journal. So a schema has only what the migrations and the index of names make, and what
// cannot act: further tables and plain indexes of an operator.

/** Without characters that are also spaces here, since a long text could then be matched in too many ways. */
const NAME = /[\w\p{L}\p{M}]+/u.source;
const TABLE = new RegExp(`^CREATE TABLE\\s+["'\`[]?(${NAME})`, "iu");
/** A newer version may have made tables and indexes of any kind. Triggers and views, this one must know. */
const MAY_BE_NEWER = /^CREATE (?:TABLE|(?:UNIQUE )?INDEX)\s/i;
const ORDER = /(?:\s+COLLATE\s+(?:BINARY|NOCASE|RTRIM))?(?:\s+(?:ASC|DESC))?/.source;
const COLUMN = `["\`[]?${NAME}["\`\\]]?${ORDER}`;
const PLAIN_INDEX = new RegExp(`^CREATE INDEX\\s[^()]+\\(\\s*${COLUMN}(?:\\s*,\\s*${COLUMN})*\\s*\\)\\s*$`, "iu");
/** A table that refers to one of ours can keep its rows from being deleted. */
const REFERENCE = /\bREFERENCES\b/i;
/** In a table of ours, a constraint with `ON CONFLICT IGNORE` swallows rows without an error. */
const CONFLICT = /\bCONFLICT\b/i;
const NAMED_PARTS = 5;

/** The remedy that fits every face. */
export const REMOVE_UNKNOWN_PARTS =
  "restore a backup that you trust; or, if you have made them yourself, remove them with DROP, and keep them in another file";

/** Names what no migration has made and what could act by itself, if there is anything. It only reads. */
export function unknownParts(db: Database): string | undefined {
  const rows = db.query("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL").all() as Part[];
  const notOurs = withoutNameIndex(rows).filter(({ sql }) => !isKnown(sql));
  if (notOurs.length === 0) return undefined;
  const newest = newestOf(SQLITE_MIGRATIONS);
  const isNewer = appliedMigrations(db).some(({ number }) => number > newest);
  const unknown = notOurs.filter(({ sql }) => !(isNewer && mayBeNewer(sql))).map(describe);
  if (unknown.length === 0) return undefined;
  const more = unknown.length > NAMED_PARTS ? ` and ${unknown.length - NAMED_PARTS} more` : "";
  return `no version of this program has made ${unknown.slice(0, NAMED_PARTS).join(", ")}${more}`;
}

/** Throws an OperatorError. */
export function refuseUnknownParts(db: Database): void {
  const unknown = unknownParts(db);
  if (unknown !== undefined) throw new OperatorError(`${unknown}: ${REMOVE_UNKNOWN_PARTS}`);
}

interface Part {
  readonly name: string;
  readonly sql: string;
}

function isKnown(sql: string): boolean {
  if (everMade().has(sql) || PLAIN_INDEX.test(sql)) return true;
  return TABLE.test(sql) && (isNamedAsOurs(sql) ? !CONFLICT.test(sql) : !REFERENCE.test(sql));
}

/** SQLite takes names that differ in case for the same. */
const isNamedAsOurs = (sql: string): boolean => everMade().has(TABLE.exec(sql)?.[1]?.toLowerCase() ?? "");

const mayBeNewer = (sql: string): boolean => MAY_BE_NEWER.test(sql) && !(isNamedAsOurs(sql) && CONFLICT.test(sql));

const describe = ({ name, sql }: Part): string => {
  const [kind] = /\b(?:trigger|view|virtual table|table|index)\b/i.exec(sql) ?? ["part"];
  return `the ${kind.toLowerCase()} ${quote(name)}`;
};
