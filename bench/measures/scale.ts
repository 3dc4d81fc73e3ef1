import { join } from "node:path";
import type { Stage } from "../common/stage.ts";
import { say, whole } from "../common/tools.ts";
import { anyPages, LIST, listAfter } from "../common/workloads.ts";
import { startService } from "../contenders/service.ts";
import { type Measure, measure, writeRequests } from "../load/load.ts";
import { shown } from "./throughput.ts";

export const PAGES = ["first page", "90 % deep", "any page"] as const;
export type PageKind = (typeof PAGES)[number];

export interface ScaleRow {
  readonly animals: number;
  readonly page: PageKind;
  readonly measures: Measure[];
}

/** One second is enough: two of the three lists come from the reply cache, and hardly vary. */
export const SECONDS = 1;

/** Measures the same lists on databases of different sizes, in turn. */
export async function measureScale(stage: Stage): Promise<ScaleRow[]> {
  const { rounds, warmUpSeconds, connections, sizes } = stage.settings;
  const rows: ScaleRow[] = sizes.flatMap((animals) => PAGES.map((page) => ({ animals, page, measures: [] })));
  for (const animals of sizes) {
    await stage.sharedStore(animals);
    await writeRequests(requestsFileOf(stage, animals), anyPages(animals));
  }
  for (let round = 1; round <= rounds; round++)
    for (const animals of sizes) {
      const store = await stage.sharedStore(animals);
      const { origin, stop } = await startService(store);
      const load = { origin, secret: store.secret, connections };
      const loads = {
        "first page": { ...load, path: LIST.path },
        "90 % deep": { ...load, path: listAfter(Math.floor(animals * 0.9)).path },
        "any page": { ...load, requestsFile: requestsFileOf(stage, animals) },
      };
      await measure({ ...loads["any page"], seconds: warmUpSeconds });
      for (const { page, measures } of rows.filter((row) => row.animals === animals)) {
        measures.push(await measure({ ...loads[page], seconds: SECONDS }));
        say(
          `round ${round}  ${whole(animals).padStart(10)} animals, ${page.padEnd(10)} ${shown(measures.at(-1) as Measure)}`,
        );
      }
      await stop();
    }
  return rows;
}

const requestsFileOf = ({ folder }: Stage, animals: number): string => join(folder, `pages-${animals}.requests`);
