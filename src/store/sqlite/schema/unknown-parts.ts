import type { Database } from "bun:sqlite";
import { OperatorError } from "../../../base/operator-error.ts";
import { quote } from "../../../base/text/text.ts";
import { SQLITE_MIGRATIONS } from "../../migrations/sqlite/index.ts";
import { newestOf } from "../../schema/migrate.ts";
import { everMade, referencesOf, refersTo } from "./expected-schema.ts";
import { appliedMigrations } from "./migration-target.ts";
import { withoutNameIndex } from "./name-index.ts";

// A trigger or a view in a file that somebody has prepared acts within our own statements: it could sign somebody in
// again, or swallow entries of the journal. So a schema has only what the migrations and the index of names make, and what
// cannot act: further tables and plain indexes of an operator.

/** Without characters that are also spaces here, since a long text could then be matched in too many ways. */
const NAME = /[\w\p{L}\p{M}]+/u.source;
const TABLE = /^CREATE TABLE\s/i;
/** A newer version may have made tables and indexes of any kind. Triggers and views, this one must know. */
const MAY_BE_NEWER = /^CREATE (?:TABLE|(?:UNIQUE )?INDEX)\s/i;
const ORDER = /(?:\s+COLLATE\s+(?:BINARY|NOCASE|RTRIM))?(?:\s+(?:ASC|DESC))?/.source;
const COLUMN = `["\`[]?${NAME}["\`\\]]?${ORDER}`;
const PLAIN_INDEX = new RegExp(`^CREATE INDEX\\s[^()]+\\(\\s*${COLUMN}(?:\\s*,\\s*${COLUMN})*\\s*\\)\\s*$`, "iu");
/**
 * The words of clauses by which a table of ours loses rows without an error: `ON CONFLICT IGNORE` swallows new ones, and
 * `ON DELETE CASCADE` takes entries of the journal away with a key. Comments may stand between the words of a clause.
 */
const LOSES_ROWS = /\b(?:CONFLICT|DELETE|UPDATE)\b/i;
const NAMED_PARTS = 5;

/** The remedy that fits every face. */
export const REMOVE_UNKNOWN_PARTS =
  "restore a backup that you trust; or, if you have made them yourself, remove them with DROP, and keep them in another file";

/** Names what no migration has made and what could act by itself, if there is anything. It only reads. */
export function unknownParts(db: Database): string | undefined {
  const rows = db.query("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL").all() as Part[];
  const notOurs = withoutNameIndex(rows).filter((part) => !isKnown(part));
  if (notOurs.length === 0) return undefined;
  const newest = newestOf(SQLITE_MIGRATIONS);
  const isNewer = appliedMigrations(db).some(({ number }) => number > newest);
  const unknown = notOurs.filter((part) => !(isNewer && mayBeNewer(part))).map(describe);
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

function isKnown(part: Part): boolean {
  const { sql } = part;
  if (everMade().has(sql) || PLAIN_INDEX.test(sql)) return true;
  if (!TABLE.test(sql)) return false;
  return isNamedAsOurs(part) ? !LOSES_ROWS.test(sql) && refersAsOurs(part) : !refersTo(sql).length;
}

/** SQLite takes names that differ in case for the same. */
const isNamedAsOurs = ({ name }: Part): boolean => everMade().has(name.toLowerCase());

/** A table that refers to another one can keep its rows from being deleted. */
function refersAsOurs({ name, sql }: Part): boolean {
  const known = [...(referencesOf().get(name.toLowerCase()) ?? [])];
  return refersTo(sql).every((table) => {
    const at = known.indexOf(table);
    if (at >= 0) known.splice(at, 1);
    return at >= 0;
  });
}

const mayBeNewer = (part: Part): boolean =>
  MAY_BE_NEWER.test(part.sql) && !(isNamedAsOurs(part) && LOSES_ROWS.test(part.sql));

const describe = ({ name, sql }: Part): string => {
  const [kind] = /\b(?:trigger|view|virtual table|table|index)\b/i.exec(sql) ?? ["part"];
  return `the ${kind.toLowerCase()} ${quote(name)}`;
};
