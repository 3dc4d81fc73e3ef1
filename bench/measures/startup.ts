import type { Stage } from "../common/stage.ts";
import { freePort, type Running, say, startProcess, whole } from "../common/tools.ts";
import { LIST } from "../common/workloads.ts";
import { ceilingCommand } from "../contenders/contenders.ts";
import { startService } from "../contenders/service.ts";

export interface StartRow {
  readonly who: string;
  /** The number of animals in our service's database; the bare server has none. */
  readonly animals: number | undefined;
  readonly startsMs: number[];
}

/** Measures the time from process start to the first 200, of the bare server and of ours, in turn. */
export async function measureStarts(stage: Stage): Promise<StartRow[]> {
  const { animals, sizes, starts } = stage.settings;
  const command = await ceilingCommand(stage.folder, await stage.reference());
  const rows: (StartRow & { start: () => Promise<Running> })[] = [
    { who: "the bare server", animals: undefined, startsMs: [], start: () => startBare(command, stage.folder) },
  ];
  for (const size of [animals, Math.max(...sizes)]) {
    const store = await stage.sharedStore(size);
    const who = `this service, ${whole(size)} animals`;
    rows.push({ who, animals: size, startsMs: [], start: () => startService(store) });
  }
  for (let round = 1; round <= starts; round++)
    for (const { who, startsMs, start } of rows) {
      const { startedInMs, stop } = await start();
      await stop();
      startsMs.push(startedInMs);
      say(`start ${round}  ${who.padEnd(36)} ${startedInMs.toFixed(1)} ms`);
    }
  return rows.map(({ who, animals, startsMs }) => ({ who, animals, startsMs }));
}

function startBare(command: string[], cwd: string): Promise<Running> {
  const port = freePort();
  return startProcess({
    command,
    cwd,
    env: { PORT: String(port) },
    origin: `http://127.0.0.1:${port}`,
    probe: LIST,
    status: 200,
  });
}
