import type { Database } from "bun:sqlite";
import { OperatorError } from "../../../base/operator-error.ts";
import { NUMBERED_TABLES, TABLES } from "../../sql/rows.ts";
import { type ExpectedIndex, expectedIndexes, expectedSchema } from "../schema/expected-schema.ts";
import { NAME_INDEX } from "../schema/name-index.ts";
import { codeOf } from "../sql/attempt.ts";

// The check of a file within the time of a start. A small file is checked entirely. In a large one, each index is
// compared with its table at both ends; `doctor` looks at the rest.

/** An empty store has 40; SQLite checks it and 16 pages of content in 2 ms. */
const SMALL_PAGES = 56;

/** Returns true if an error says that the file is damaged. */
export const isDamage = (error: unknown): boolean => /^SQLITE_(CORRUPT|NOTADB)/.test(codeOf(error));

export const damaged = (what: string): OperatorError =>
  new OperatorError(`the database file is damaged (${what})`, { kind: "examine_damage" });

/**
 * Throws an OperatorError if the file is found to be damaged, or what SQLite throws. It only reads. Of a schema that a
 * newer version made, it cannot say how it should be.
 */
export function refuseDamage(db: Database, path: string, { isNewer }: { isNewer: boolean }): void {
  // One transaction, so that what a command writes meanwhile is not taken for damage.
  const damage = db.transaction(
    () =>
      missingPages(db, path) ??
      (isNewer ? undefined : differenceInSchema(db)) ??
      (isSmall(db) ? failedCheck(db, 1) : differenceInIndexes(db)) ??
      repeatedIds(db),
  )();
  if (damage !== undefined) throw damaged(damage);
}

const numberOf = (db: Database, sql: string): number => Number(Object.values(db.query(sql).get() as object)[0]);

/** With an empty log, every page is in the file. */
function missingPages(db: Database, path: string): string | undefined {
  const bytes = numberOf(db, "PRAGMA page_count") * numberOf(db, "PRAGMA page_size");
  if (Bun.file(`${path}-wal`).size > 0) return undefined;
  const { size } = Bun.file(path);
  return size < bytes ? `it has ${size} bytes of ${bytes}` : undefined;
}

/** Accepts additions by an operator, such as an index; unknown-parts.ts says which. */
export function differenceInSchema(db: Database): string | undefined {
  const found = definitions(db);
  for (const [name, sql] of expectedSchema())
    if (found.get(name) !== sql)
      return found.has(name) ? `the definition of ${name} has changed` : `${name} is missing from its schema`;
  return undefined;
}

function definitions(db: Database): ReadonlyMap<string, string | null> {
  const rows = db.query("SELECT name, sql FROM sqlite_schema").all() as { name: string; sql: string | null }[];
  return new Map(rows.map(({ name, sql }) => [name, sql]));
}

const isSmall = (db: Database): boolean => numberOf(db, "PRAGMA page_count") <= SMALL_PAGES;

/**
 * Checks a whole file. Returns as many of its damages as are wanted. That the index of names is malformed is none: it can
 * be made again, and doctor has a check of its own for it.
 */
export function failedCheck(
  db: Database,
  most: number,
  pragma: "integrity_check" | "quick_check" = "integrity_check",
): string | undefined {
  const rows = db.query(`PRAGMA ${pragma}(${most + 1})`).all() as { [Column in typeof pragma]: string }[];
  const damages = rows.map((row) => row[pragma].replaceAll("\n", ": ")).filter((text) => !text.includes(NAME_INDEX));
  const found = damages.slice(0, most).join("; ");
  return found === "ok" || found === "" ? undefined : found;
}

function differenceInIndexes(db: Database): string | undefined {
  const found = definitions(db);
  const known = expectedIndexes().filter(({ name }) => found.get(name) === expectedSchema().get(name));
  const differing = known.find((index) => differsAtEnds(db, index));
  return differing && `the index ${differing.name} does not match the table ${differing.table}`;
}

/** Returns true if the first or last entry of an index has no row, or the first or last row of its table no entry. */
function differsAtEnds(db: Database, { name, table, columns, condition }: ExpectedIndex): boolean {
  const key = TABLES.find((known) => known.name === table)?.key ?? [];
  const both = [...new Set([...columns, ...key])];
  const equal = (names: readonly string[]) => names.map((column) => `t.${column} IS e.${column}`).join(" AND ");
  const end = (source: string, order: readonly string[], direction: string) =>
    `SELECT * FROM (SELECT ${both} FROM ${source} ORDER BY ${order.map((column) => `${column} ${direction}`)} LIMIT 1)`;
  const ends = (source: string, order: readonly string[]) =>
    `${end(source, order, "ASC")} UNION ALL ${end(source, order, "DESC")}`;

  const inIndex = `${table} INDEXED BY ${name}${condition === undefined ? "" : ` WHERE ${condition}`}`;
  const entriesWithoutRow = `SELECT 1 FROM (${ends(inIndex, both)}) e WHERE NOT EXISTS
    (SELECT 1 FROM ${table} t NOT INDEXED WHERE ${equal(key)} AND ${equal(columns)})`;
  if (hasRow(db, entriesWithoutRow)) return true;
  // The rows that a condition selects cannot be found quickly without the index.
  if (condition !== undefined) return false;
  const rowsWithoutEntry = `SELECT 1 FROM (${ends(`${table} NOT INDEXED`, key)}) e WHERE NOT EXISTS
    (SELECT 1 FROM ${table} t INDEXED BY ${name} WHERE ${equal(columns)} AND ${equal(key)})`;
  return hasRow(db, rowsWithoutEntry);
}

const hasRow = (db: Database, sql: string): boolean => db.query(sql).get() !== null;

/** An id that was assigned must not be assigned again. */
export function repeatedIds(db: Database): string | undefined {
  for (const { name } of NUMBERED_TABLES) {
    const highest = numberOf(db, `SELECT max(id) FROM ${name}`);
    const assigned = numberOf(db, `SELECT max(seq) FROM sqlite_sequence WHERE name = '${name}'`);
    if (highest > assigned)
      return `the table ${name} has ids up to ${highest}, and the next one would be ${assigned + 1}`;
  }
  return undefined;
}
