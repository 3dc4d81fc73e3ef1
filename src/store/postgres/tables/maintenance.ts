import type { Maintenance } from "../../ports/store.ts";
import { FOLD_BATCH_SIZE, type UnfoldedAnimal } from "../../schema/folding.ts";
import { maintenanceWork } from "../../sql/tables/maintenance.ts";
import { POSTGRES } from "../connections/dialect.ts";
import { writing } from "../connections/work.ts";
import type { Pool } from "../database.ts";
import { FOLD_NAMES, foldNamesParameters, SELECT_UNFOLDED } from "../schema/folding.ts";

export const postgresMaintenance = (pool: Pool): Maintenance => ({
  ...writing(pool, maintenanceWork(POSTGRES)),
  async foldNames() {
    const animals = await pool.read<UnfoldedAnimal>(SELECT_UNFOLDED);
    if (animals.length === 0) return false;
    const folded = await pool.write(FOLD_NAMES, foldNamesParameters(animals));
    return animals.length === FOLD_BATCH_SIZE && folded.length > 0;
  },
  connections: {
    stats: () => pool.stats,
    onAnswer(report) {
      pool.onAnswer = report;
    },
  },
});
