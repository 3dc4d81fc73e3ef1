import { jsonPageOf } from "../../../domain/page.ts";
import type { Animal } from "../../../domain/stock/animal.ts";
import type { AnimalQuery, AnimalStore } from "../../ports/store.ts";
import { SELECT_ANIMAL } from "../../sql/rows.ts";
import { animalStatements, animalWork } from "../../sql/tables/animals.ts";
import { POSTGRES } from "../connections/dialect.ts";
import { perform, transacting } from "../connections/work.ts";
import type { Pool } from "../database.ts";
import { Batches } from "./batches.ts";
import { onceOnlyCreations, plainCreations } from "./creations.ts";
import { carryOut, transactingOnce } from "./idempotency.ts";

const STATEMENTS = animalStatements(POSTGRES);
export const GET_SEVERAL = `${SELECT_ANIMAL} WHERE ${POSTGRES.idIsOneOf("$1")}`;
const WORK = animalWork(POSTGRES);

const MAX_GETS = 100;

export function postgresAnimals(pool: Pool): AnimalStore {
  const list = (query: AnimalQuery) => perform(pool.read, WORK.list(query));
  const gets = new Batches<bigint, Animal | undefined>({
    maxSize: MAX_GETS,
    maxInProgress: Number.POSITIVE_INFINITY,
    run: async (ids) => {
      if (ids.length === 1) return pool.read<Animal>(STATEMENTS.get, ids);
      const found = await pool.read<Animal>(GET_SEVERAL, [POSTGRES.idList(ids)]);
      const byId = new Map(found.map((animal) => [animal.id, animal]));
      return ids.map((id) => byId.get(id));
    },
  });
  const creations = plainCreations(pool);
  const onceOnly = onceOnlyCreations(pool);

  return {
    list,
    // Rendered here and not by the server, which works for many instances: its CPU is the scarcer one.
    listJson: async (query, { jsonOf }) => jsonPageOf(await list(query), jsonOf),
    get: (id) => gets.add(id),
    create: (animal, key) =>
      carryOut(pool, { attempt: () => (key ? onceOnly.add({ animal, key }) : creations.add(animal)) }, key),
    ...transacting(pool, WORK.additions),
    ...transactingOnce(pool, WORK.changes),
  };
}
