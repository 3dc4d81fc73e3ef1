import { INT64_MIN } from "../../../base/json/int64.ts";
import { cutPage, type IdOrder, type Page } from "../../../domain/page.ts";
import type { Animal } from "../../../domain/stock/animal.ts";
import type { NameIndexProgress, NameSearch } from "../../ports/store.ts";
import { pageFrom } from "../../sql/lists.ts";
import { SELECT_ANIMAL } from "../../sql/rows.ts";
import { first, run, type Work } from "../../sql/work.ts";
import { INDEXED_NAMES, NAME_INDEX, NAME_INDEX_SCHEMA } from "../schema/name-index.ts";
import { SQLITE } from "../sql/dialect.ts";
import { BOOKKEEPING, declareWrites, tableStore } from "./write.ts";

// SQLite's FTS5 keeps the index of names: trigrams with the ids of animals, without a copy of the names.

/** Indexing this many takes some milliseconds, for which other writes wait. */
const SLICE = 1_000;

/** Ids ascend, so what was added since has greater ones. */
const IS_LATER = `id > coalesce((SELECT max(id) FROM ${INDEXED_NAMES}), ${INT64_MIN})`;
const ADD = `INSERT INTO ${NAME_INDEX} (rowid, folded_name) SELECT id, folded_name FROM animals`;
const ADD_LATER = `${ADD} WHERE ${IS_LATER} ORDER BY id LIMIT ${SLICE}`;
const ADD_EARLIER = `${ADD} WHERE ${SQLITE.idIsOneOf("?1")} AND NOT ${IS_LATER}`;
const FIND_LATER = `SELECT 1 FROM animals WHERE ${IS_LATER} LIMIT 1`;
const LAST_INDEXED = `SELECT max(id) AS id FROM ${INDEXED_NAMES}`;
const LAST = "SELECT max(id) AS id FROM animals";

/** An operator may have a table of the same name. */
const FIND_INDEX = "SELECT 1 FROM sqlite_schema WHERE name = ? AND sql = ?";

function* indexExists(): Work<boolean> {
  return (yield* first(FIND_INDEX, [NAME_INDEX, NAME_INDEX_SCHEMA[NAME_INDEX] as string])) !== undefined;
}

/** Indexes animals that were given their ids, which may be smaller than some that are indexed. */
export function* indexGivenIds(ids: readonly bigint[]): Work<void> {
  if (yield* indexExists()) yield* run(ADD_EARLIER, [SQLITE.idList(ids)]);
}

export function* dropNameIndex(): Work<void> {
  if (!(yield* indexExists())) return;
  // The table goes last, since the triggers refer to it.
  for (const [name, sql] of Object.entries(NAME_INDEX_SCHEMA).reverse())
    yield* run(`DROP ${sql.startsWith("CREATE TRIGGER") ? "TRIGGER" : "TABLE"} IF EXISTS ${name}`);
}

export const nameIndexWrites = declareWrites("nameIndex", BOOKKEEPING, {
  *extend(): Work<boolean> {
    if (!(yield* indexExists())) for (const sql of Object.values(NAME_INDEX_SCHEMA)) yield* run(sql);
    yield* run(ADD_LATER);
    return (yield* first(FIND_LATER)) !== undefined;
  },
  drop: dropNameIndex,
});

/** The index yields ids in their order, so it stops when the page is full. */
function searchBy(order: IdOrder): string {
  const [bound, direction] = order === "-id" ? ["<=", "DESC"] : [">=", "ASC"];
  const found = `SELECT rowid FROM ${NAME_INDEX} WHERE ${NAME_INDEX} MATCH ?1 AND rowid ${bound} ?2
    ORDER BY rowid ${direction} ${SQLITE.atMost("?3")}`;
  return `${SELECT_ANIMAL} WHERE ${SQLITE.isOneOf("id", found)} ORDER BY id ${direction}`;
}

export const NAME_SEARCHES: Readonly<Record<IdOrder, string>> = { id: searchBy("id"), "-id": searchBy("-id") };

/** A phrase of FTS5, in which nothing but a quotation mark has a meaning. */
const phraseOf = (part: string): string => `"${part.replaceAll('"', '""')}"`;

const reads = {
  *progress(): Work<NameIndexProgress | undefined> {
    const upTo = (yield* indexExists()) ? yield* first<{ id: bigint | null }>(LAST_INDEXED) : undefined;
    const last = yield* first<{ id: bigint | null }>(LAST);
    return { upToId: upTo?.id ?? undefined, lastId: last?.id ?? undefined };
  },
  *search({ part, sort, after, size }: NameSearch): Work<Page<Animal>> {
    if (!(yield* indexExists())) return { rows: [], more: false };
    return cutPage(yield* run<Animal>(NAME_SEARCHES[sort], [phraseOf(part), ...pageFrom(after, sort, size + 1)]), size);
  },
};

export const sqliteNameIndex = tableStore(reads, nameIndexWrites);
