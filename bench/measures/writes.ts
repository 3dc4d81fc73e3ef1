import { join } from "node:path";
import type { Stage } from "../common/stage.ts";
import { say } from "../common/tools.ts";
import { CREATE, LIST } from "../common/workloads.ts";
import { startService } from "../contenders/service.ts";
import { type Load, type Measure, measure, writeRequests } from "../load/load.ts";
import { shown } from "./throughput.ts";

/** The load beside the measured lists. */
export type Beside = "nothing" | "creations" | "other lists";

export interface WritesRow {
  readonly beside: Beside;
  readonly lists: Measure[];
  /** The figures of the other load. */
  readonly others: Measure[];
}

const BESIDES: readonly Beside[] = ["nothing", "creations", "other lists"];

/**
 * Measures lists alone, and beside a second load at full speed. A second load of lists too separates the cost of
 * sharing the machine with another wrk from the cost of writes.
 */
export async function measureWrites(stage: Stage): Promise<WritesRow[]> {
  const { rounds, seconds, warmUpSeconds, connections, animals } = stage.settings;
  const store = await stage.newStore(animals);
  const requestsFile = await writeRequests(join(stage.folder, "creations.requests"), [CREATE]);
  const rows: WritesRow[] = BESIDES.map((beside) => ({ beside, lists: [], others: [] }));
  for (let round = 1; round <= rounds; round++) {
    const { origin, stop } = await startService(store);
    const load = { origin, secret: store.secret, connections, path: LIST.path };
    const otherLoads: Record<Beside, Omit<Load, "seconds"> | undefined> = {
      nothing: undefined,
      creations: { ...load, requestsFile },
      "other lists": load,
    };
    await measure({ ...load, seconds: warmUpSeconds });
    for (const { beside, lists, others } of rows) {
      const otherLoad = otherLoads[beside];
      // The other load begins one second earlier and ends one second later.
      const other = otherLoad && measure({ ...otherLoad, seconds: seconds + 2 });
      if (other) await Bun.sleep(1000);
      lists.push(await measure({ ...load, seconds }));
      if (other) others.push(await other);
      say(`round ${round}  lists with ${beside.padEnd(12)} ${shown(lists.at(-1) as Measure)}`);
    }
    await stop();
  }
  return rows;
}
