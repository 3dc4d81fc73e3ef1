import { choiceField, optional } from "../../base/json/fields.ts";
import { lazy } from "../../base/lazy.ts";
import { MINUTE_MS } from "../../base/time/clock.ts";
import { exportAnimals } from "../../bulk/export.ts";
import { EXPORT_FORMATS } from "../../bulk/export-formats.ts";
import { fold } from "../../domain/stock/fold.ts";
import type { AnimalSelection, AnimalSnapshot } from "../../store/ports/store.ts";
import { ConsoleFault } from "../fault.ts";
import { withQuery } from "../forms/forms.ts";
import { asDownload } from "../jobs/download.ts";
import { pacedStream, ReaderGone } from "../jobs/paced-stream.ts";
import { ANIMAL_FILTER, isInside, selectionOf } from "./animal-filter.ts";

const WANTED = { ...ANIMAL_FILTER, format: optional(choiceField(EXPORT_FORMATS), "csv") };
const TYPES = { csv: "text/csv; charset=utf-8", ndjson: "application/x-ndjson" };

type Source = Pick<AnimalSnapshot, "batches" | "close">;

/** Exports what the filter shows, from one snapshot, as fast as the browser reads it. */
export const exportFiltered = withQuery(
  WANTED,
  async ({ openSnapshot, clock, background }, _, { format, ...filter }, { hasSession }) => {
    const selection = selectionOf(filter);
    if (selection instanceof ConsoleFault) return selection;
    const day = new Date(clock.nowMs()).toISOString().slice(0, 10);
    const snapshot = await openSnapshot();
    if (!snapshot) return TOO_MANY_EXPORTS;
    const allowed = whileAllowed(snapshot, hasSession);
    const { readable, work } = isInside(selection)
      ? streamOf(withNamesThatContain(selection.part, allowed), {}, format)
      : streamOf(allowed, selection, format);
    background.run("console: an export failed", work);
    return new Response(readable, { headers: asDownload(`animals-${day}.${format}`, TYPES[format]) });
  },
);

/** Reads all animals: an export takes its time, and the index of names may not have all of them yet. */
const withNamesThatContain = (part: string, source: Source): Source => ({
  async *batches(...wanted) {
    for await (const batch of source.batches(...wanted)) yield batch.filter(({ name }) => fold(name).includes(part));
  },
  close: () => source.close(),
});

/** A slow reader could go on for hours, and what a session may do ends with it. */
const whileAllowed = (snapshot: Source, isAllowed: () => Promise<boolean>): Source => ({
  async *batches(...wanted) {
    for await (const batch of snapshot.batches(...wanted)) {
      if (!(await isAllowed())) throw new ReaderGone("the session has ended");
      yield batch;
    }
  },
  close: () => snapshot.close(),
});

const TOO_MANY_EXPORTS = new ConsoleFault(
  503,
  "too_many_exports",
  "Several exports are already in progress. Wait until one has finished, then export again.",
);

/** Each holds a connection, and keeps the store from reclaiming old versions of rows. */
export const MAX_EXPORTS = 4;

/** Bounds the number of open snapshots. */
export function boundedSnapshots(open: () => Promise<AnimalSnapshot>): () => Promise<AnimalSnapshot | undefined> {
  let count = 0;
  return async () => {
    if (count >= MAX_EXPORTS) return undefined;
    count++;
    const snapshot = await open().catch((error: unknown) => {
      count--;
      throw error;
    });
    const close = lazy(async () => {
      count--;
      await snapshot.close();
    });
    return { ...snapshot, count: snapshot.count.bind(snapshot), batches: snapshot.batches.bind(snapshot), close };
  };
}

/** A browser that reads nothing for this long loses its snapshot. */
const STALLED_AFTER_MS = MINUTE_MS;

export function streamOf(
  snapshot: Source,
  selection: AnimalSelection,
  format: keyof typeof TYPES,
  stalledAfterMs = STALLED_AFTER_MS,
) {
  const stream = pacedStream(stalledAfterMs);
  const work = async (signal: AbortSignal): Promise<void> => {
    const options = { format, isCompressed: false, filter: selection, signal, onProgress: () => {} };
    try {
      await exportAnimals(snapshot, (chunk) => stream.write(chunk, signal), options);
      stream.close();
    } catch (error) {
      // A broken stream is not taken for a whole file. A reader who has disconnected is no failure.
      stream.fail(error);
      if (!(error instanceof ReaderGone)) throw error;
    } finally {
      await snapshot.close();
    }
  };
  return { readable: stream.readable, work };
}
