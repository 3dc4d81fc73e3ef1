import { join } from "node:path";
import { type Contender, type ContenderName, makeContenders } from "./contenders.ts";
import { type Load, type Measure, measure, writeRequests } from "./load.ts";
import { exhaust, type Reference } from "./service.ts";
import type { Settings } from "./settings.ts";
import type { Stage } from "./stage.ts";
import { ask, say, whole } from "./tools.ts";
import { assertRight, WORKS, type Work, type WorkName } from "./works.ts";

/** One contender's rounds of one work. */
export interface Series {
  readonly work: WorkName;
  readonly contender: ContenderName;
  readonly measures: Measure[];
}

/** Every contender with every work, in turn. Each measurement has a new process. */
export async function measureThroughput(stage: Stage): Promise<Series[]> {
  const { settings, folder } = stage;
  const reference = await stage.reference();
  const contenders = await makeContenders(stage);
  const files = await requestFiles(folder, settings.animals);
  const series: Series[] = WORKS.flatMap(({ name }) =>
    contenders
      .filter(({ does }) => does(name))
      .map((contender) => ({ work: name, contender: contender.name, measures: [] })),
  );
  for (let round = 1; round <= settings.rounds; round++)
    for (const work of WORKS)
      for (const contender of rotated(contenders, round)) {
        const row = series.find((row) => row.work === work.name && row.contender === contender.name);
        if (!row) continue;
        const result = await measureOnce(contender, work, reference, settings, files.get(work.name));
        row.measures.push(result);
        say(`round ${round}  ${work.title.padEnd(28)} ${contender.name.padEnd(13)} ${shown(result)}`);
      }
  return series;
}

export const shown = ({ perSecond, p50Ms, p99Ms }: Measure): string =>
  `${whole(perSecond).padStart(9)} /s  p50 ${p50Ms.toFixed(2)} ms  p99 ${p99Ms.toFixed(2)} ms`;

/** A different one begins each round, so that the contenders do not always follow each other in the same order. */
const rotated = <T>(items: readonly T[], by: number): T[] => items.map((_, i) => items[(i + by) % items.length] as T);

async function requestFiles(folder: string, animals: number): Promise<Map<WorkName, string>> {
  const files = new Map<WorkName, string>();
  for (const { name, requests } of WORKS)
    if (requests) files.set(name, await writeRequests(join(folder, `${name}.requests`), requests(animals)));
  return files;
}

async function measureOnce(
  contender: Contender,
  work: Work,
  reference: Reference,
  settings: Settings,
  requestsFile: string | undefined,
): Promise<Measure> {
  const { origin, secret, stop } = await contender.start(work);
  const sent = work.isAnonymous ? undefined : secret;
  if (work.name === "limited") await exhaust(origin, secret);
  const check = async () =>
    assertRight(work, await ask(origin, work.request, sent), reference[work.name], contender.name);
  const load = (seconds: number): Load => ({
    origin,
    secret: sent,
    connections: settings.connections,
    seconds,
    path: work.request.path,
    ...(requestsFile === undefined ? {} : { requestsFile }),
    isRefused: work.status >= 400,
  });
  await check();
  await measure(load(settings.warmUpSeconds));
  const result = await measure(load(settings.seconds));
  await check();
  await stop();
  return result;
}
