import { expect, test } from "bun:test";
import { SQL } from "bun";
import type { AnimalQuery, CategoryQuery, OrderQuery } from "../../../src/store/ports/store.ts";
import { PLANNING, POSTGRES } from "../../../src/store/postgres/connections/dialect.ts";
import { openForCommand } from "../../../src/store/postgres/store.ts";
import { NAME_SEARCH_PLANNING, NAME_SEARCHES } from "../../../src/store/postgres/tables/name-index.ts";
import {
  animalListing,
  animalLists,
  categoryListing,
  categoryLists,
  countAnimalsByCategory,
  orderListing,
  orderLists,
  usedCategoryListing,
} from "../../../src/store/sql/lists.ts";
import { makeNameIndex } from "../../harness/rows/name-index.ts";
import { databaseMaker } from "../../harness/servers/postgres.ts";

const newDatabase = await databaseMaker();

const SIZE = 20;
const ANIMALS = 40_000;

/** A statement and the parameters that a query runs it with. */
interface Run {
  readonly what: string;
  readonly text: string;
  readonly parameters: readonly unknown[];
}

const ANIMAL_LISTS = animalLists(POSTGRES);
const ORDER_LISTS = orderLists(POSTGRES);
const COUNT_BY_CATEGORY = countAnimalsByCategory(POSTGRES);
const CATEGORY_LISTS = categoryLists(POSTGRES);

const runOf = <Name extends string>(
  table: string,
  lists: Record<Name, string>,
  { name, parameters }: { readonly name: Name; readonly parameters: readonly unknown[] },
): Run => ({ what: `${table} ${name} (${parameters})`, text: lists[name], parameters });

const animals = (query: Omit<AnimalQuery, "size">) =>
  runOf("animals", ANIMAL_LISTS, animalListing({ size: SIZE, ...query }, POSTGRES));
const orders = (query: Omit<OrderQuery, "size">) =>
  runOf("orders", ORDER_LISTS, orderListing({ size: SIZE, ...query }));
const categories = (query: Omit<CategoryQuery, "size">) =>
  runOf("categories", CATEGORY_LISTS, categoryListing({ size: SIZE, ...query }));

const MIDDLE = BigInt(ANIMALS / 2);

/** Every filter, in both directions, from the start and from the middle. What is wanted comes last, or is missing. */
const RUNS: readonly Run[] = [
  ...[undefined, { id: 5n }, { id: MIDDLE }].flatMap((after) =>
    (["id", "-id"] as const).flatMap((sort) => {
      const page = { sort, after };
      return [
        ...[{}, { status: "available" }, { status: "sold" }, { status: "pending" }].flatMap((filter) => [
          animals({ ...page, ...(filter as AnimalQuery) }),
          ...[99n, 1n, 4711n].map((categoryId) => animals({ ...page, ...(filter as AnimalQuery), categoryId })),
        ]),
        animals({ ...page, ids: [1n, 2n, MIDDLE], status: "sold" }),
        ...[{}, { status: "placed" }, { status: "delivered" }, { status: "cancelled" }].flatMap((filter) => [
          orders({ ...page, ...(filter as OrderQuery) }),
          ...[30_000n, 1n].map((animalId) => orders({ ...page, ...(filter as OrderQuery), animalId })),
          ...["often", "r39999", "none"].map((reference) => orders({ ...page, ...(filter as OrderQuery), reference })),
        ]),
      ];
    }),
  ),
  ...["rex", "rex 39999", "r", "zoë", "\u{10ffff}"].flatMap((name) =>
    [undefined, { id: MIDDLE, foldedName: `${name} 2` }, { id: MIDDLE, foldedName: name }].flatMap((after) => [
      ...([undefined, "-name"] as const).flatMap((sort) => [
        animals({ name, sort, after }),
        ...(["available", "sold", "pending"] as const).map((status) => animals({ name, sort, after, status })),
      ]),
      categories({ name, after }),
    ]),
  ),
  ...(["name", "-name"] as const).flatMap((sort) => [
    animals({ sort }),
    animals({ sort, status: "available" }),
    animals({ sort, after: { id: MIDDLE, foldedName: "rex" } }),
  ]),
  ...[undefined, { id: MIDDLE }].flatMap((after) => [
    categories({ after }),
    runOf("categories", CATEGORY_LISTS, usedCategoryListing({ after, size: SIZE })),
  ]),
  { what: "animals by category", text: COUNT_BY_CATEGORY, parameters: ['["99","1","4711"]', SIZE] },
];

/** The shop's older half is sold, as in any shop: a walk along the ids meets it first. Every second animal is just Rex. */
async function fillTables(sql: SQL, from: number, to: number): Promise<void> {
  await sql`INSERT INTO animals (name, folded_name, category_id, status)
    SELECT 'Rex', CASE WHEN i % 2 = 0 THEN 'rex' ELSE 'rex ' || i END, i / 400,
      CASE WHEN i <= ${ANIMALS / 2} THEN 'sold' ELSE 'available' END FROM generate_series(${from}::int, ${to}::int) i`;
  await sql`INSERT INTO orders (animal_id, status, placed_at, updated_at, reference)
    SELECT id, CASE WHEN id <= ${ANIMALS / 2} THEN 'delivered' ELSE 'placed' END, 0, 0,
      CASE id % 4 WHEN 0 THEN 'often' WHEN 1 THEN NULL ELSE 'r' || id END
    FROM animals WHERE id BETWEEN ${from} AND ${to}`;
  await sql`INSERT INTO categories (id, name, folded_name)
    SELECT i, 'Rex ' || i, 'rex ' || i FROM generate_series(${from}::int, ${to}::int) i`;
}

const literals = (parameters: readonly unknown[]): string =>
  parameters.map((value) => (typeof value === "string" ? `'${value}'` : String(value ?? "NULL"))).join(", ");

interface Plan {
  readonly text: string;
  /** The most rows that any part of it has handed on, or read and thrown away. */
  readonly mostRows: number;
}

async function planOf(sql: SQL, name: string, { parameters }: Run): Promise<Plan> {
  const rows = await sql.unsafe(`EXPLAIN (ANALYZE, TIMING OFF) EXECUTE ${name} (${literals(parameters)})`);
  const text: string = rows.map((row: Record<string, string>) => row["QUERY PLAN"]).join("\n");
  const counts = [...text.matchAll(/(?:actual rows=|Rows Removed by [^:]+: )([\d.]+)/g)].map(([, count]) =>
    Number(count),
  );
  return { text, mostRows: Math.max(...counts) };
}

/** Everything but the merge of at most four pages comes out of an index, in its order, and no row is read in vain. */
async function expectNoScan(sql: SQL, label: string, prepared: ReadonlyMap<string, string>): Promise<void> {
  for (const run of RUNS) {
    const { text, mostRows } = await planOf(sql, prepared.get(run.text) as string, run);
    const isScan = text.includes("Seq Scan") || text.includes("Disabled: true");
    if (isScan || mostRows > 4 * (SIZE + 1)) throw new Error(`${label}: ${run.what}\n${run.text}\n${text}`);
  }
}

/** Prepares each statement once, and runs it, so that a plan for any parameters is kept. */
async function prepareAll(sql: SQL, prefix: string): Promise<Map<string, string>> {
  const prepared = new Map<string, string>();
  for (const { text, parameters } of RUNS) {
    if (prepared.has(text)) continue;
    const name = `${prefix}_${prepared.size}`;
    prepared.set(text, name);
    await sql.unsafe(`PREPARE ${name} AS ${text}`);
    await sql.unsafe(`EXECUTE ${name} (${literals(parameters)})`);
  }
  return prepared;
}

async function openSession(): Promise<SQL> {
  const url = await newDatabase();
  await (await openForCommand(url, { create: true })).close();
  return new SQL(url, { max: 1 });
}

test("PostgreSQL: no list scans or sorts, also when what is wanted comes last, with plans for one query or for any", async () => {
  const sql = await openSession();
  await fillTables(sql, 1, ANIMALS);
  await sql`VACUUM ANALYZE`;
  expect(new Set(RUNS.map(({ text }) => text)).size).toBe(
    [ANIMAL_LISTS, ORDER_LISTS, CATEGORY_LISTS, { COUNT_BY_CATEGORY }].flatMap((lists) => Object.keys(lists)).length,
  );
  for (const mode of ["force_custom_plan", "force_generic_plan"]) {
    await sql.unsafe(`SET plan_cache_mode = ${mode}`);
    await expectNoScan(sql, mode, await prepareAll(sql, mode));
  }
  await sql.close();
}, 180_000);

for (const rows of [0, 30])
  test(`PostgreSQL: no list scans with a plan that was made while the tables had ${rows} rows`, async () => {
    const sql = await openSession();
    await fillTables(sql, 1, rows);
    if (rows > 0) await sql`VACUUM ANALYZE`;
    await sql.unsafe("SET plan_cache_mode = force_generic_plan");
    for (const [name, value] of Object.entries(PLANNING)) await sql.unsafe(`SET ${name} = ${value}`);
    const prepared = await prepareAll(sql, "early");
    await fillTables(sql, rows + 1, ANIMALS);
    await expectNoScan(sql, "early", prepared);
    await sql.close();
  }, 180_000);

test("PostgreSQL: a search inside names looks through the next animals, and then finds others by the index alone", async () => {
  const url = await newDatabase();
  await (await openForCommand(url, { create: true })).close();
  await makeNameIndex(url);
  const sql = new SQL(url, { max: 1 });
  await fillTables(sql, 1, ANIMALS);
  await sql`VACUUM ANALYZE`;
  let count = 0;
  const planned = async (statement: string): Promise<Plan> => {
    const name = `name_search_${++count}`;
    await sql.unsafe(`PREPARE ${name} AS ${statement}`);
    return planOf(sql, name, { what: "", text: statement, parameters: ["%x 3999%", MIDDLE, SIZE] });
  };
  // A pooler keeps the settings of a session away.
  for (const settings of [PLANNING, {}])
    for (const mode of ["force_custom_plan", "force_generic_plan"]) {
      await sql.unsafe("RESET ALL");
      await sql.unsafe(`SET plan_cache_mode = ${mode}`);
      for (const [setting, value] of Object.entries(settings)) await sql.unsafe(`SET ${setting} = ${value}`);
      for (const { nearby, inIndex } of Object.values(NAME_SEARCHES)) {
        const first = await planned(nearby);
        expect(first.text).toContain("using animals_pkey");
        await sql.unsafe("BEGIN");
        await sql.unsafe(NAME_SEARCH_PLANNING);
        const second = await planned(inIndex);
        await sql.unsafe("COMMIT");
        expect(second.text).toContain("Bitmap Index Scan on animals_by_name_part");
        expect(second.mostRows).toBeLessThan(50);
        for (const { text } of [first, second]) expect(text).not.toContain("Seq Scan");
      }
    }
  await sql.close();
}, 180_000);
