import { done } from "../../../base/result.ts";
import type { NewAnimal } from "../../../domain/stock/animal.ts";
import { hasId, type ImportBatch, rangesOf } from "../../../domain/stock/import.ts";
import type { ImportStore } from "../../ports/store.ts";
import { IMPORT_RANGES } from "../../sql/import-rows.ts";
import { NEW_ANIMAL, newAnimalValues } from "../../sql/rows.ts";
import type { SqlValue } from "../../sql/table.ts";
import { importAdding, importReads, importUndoing } from "../../sql/tables/imports.ts";
import { run } from "../../sql/work.ts";
import type { CopyingConnection } from "../connections/connection.ts";
import { POSTGRES } from "../connections/dialect.ts";
import { isDuplicate } from "../connections/sql-state.ts";
import { perform, reading, transacting } from "../connections/work.ts";
import type { Pool } from "../database.ts";

const IDS = "pg_get_serial_sequence('animals', 'id')::regclass";

/** Each id is drawn by itself, so ids of others may be in between. */
const DRAW_IDS = `SELECT nextval((SELECT ${IDS})) AS id FROM generate_series(1, $1::text::int)`;
const COPY_ANIMALS = `COPY animals (id, ${NEW_ANIMAL.join(", ")}) FROM STDIN`;
const COPY_RANGES = `COPY import_ranges (${IMPORT_RANGES.columns.join(", ")}) FROM STDIN`;

const { begin, advance } = importAdding(POSTGRES, {
  /** Blocks all other additions of animals for a moment; they then get greater ids. */
  holdAdditions: () => run("LOCK TABLE animals IN SHARE ROW EXCLUSIVE MODE"),
  setLastId: (lastId) => run(`SELECT setval(${IDS}, greatest($1, nextval(${IDS})))`, [lastId]),
});

export function postgresImports(pool: Pool): ImportStore {
  const beginnings = transacting(pool, { begin });
  return {
    ...reading(pool, importReads(POSTGRES)),
    ...transacting(pool, importUndoing(POSTGRES)),
    begin: (beginning) =>
      // Somebody else has just begun the same import, which is then continued.
      beginnings.begin(beginning).catch((error: unknown) => {
        if (!isDuplicate(error)) throw error;
        return beginnings.begin(beginning);
      }),
    add: (batch) => {
      const startMs = performance.now();
      return pool.transact(async (tx) => {
        const advanced = await perform(tx.run, advance(batch));
        if (advanced.kind === "refused") return advanced;
        if (batch.animals.length > 0) await addAnimals(tx, batch);
        // Rows are locked singly, so a batch blocks nobody.
        return done({ othersWrite: false, heldMs: performance.now() - startMs });
      });
    },
  };
}

async function addAnimals(tx: CopyingConnection, { animals, importId }: ImportBatch): Promise<void> {
  const identified = animals.every(hasId) ? animals : await tx.run<{ id: bigint }>(DRAW_IDS, [animals.length]);
  const ids = identified.map(({ id }) => id);
  let data = "";
  for (let i = 0; i < animals.length; i++)
    data += lineOf([ids[i] as bigint, ...newAnimalValues(animals[i] as NewAnimal)]);
  await tx.copyIn(COPY_ANIMALS, data);
  const ranges = rangesOf(ids);
  await tx.copyIn(COPY_RANGES, ranges.map(({ firstId, lastId }) => lineOf([importId, firstId, lastId])).join(""));
}

/** A line in the text format of COPY. */
const lineOf = (values: readonly SqlValue[]): string => `${values.map(cellOf).join("\t")}\n`;

const SPECIAL = /[\\\t\n\r]/;

/** Names have no control characters, but a backslash would begin an escape. */
function cellOf(value: SqlValue): string {
  const text = value === null ? "\\N" : String(value);
  if (value === null || !SPECIAL.test(text)) return text;
  return text.replaceAll("\\", "\\\\").replaceAll("\t", "\\t").replaceAll("\n", "\\n").replaceAll("\r", "\\r");
}
