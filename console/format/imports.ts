import { countOf } from "../../src/base/text/text.ts";
import type { ImportView, ImportWorkView } from "../../src/console/api/index.ts";
import type { StateLabel } from "./keys.ts";
import { grouped } from "./numbers.ts";

// Imports in words.

const STATES: Readonly<Record<ImportView["state"], StateLabel>> = {
  finished: { text: "Finished", tone: "good" },
  unfinished: { text: "Not finished", tone: "warning" },
  "being undone": { text: "Being undone", tone: "warning" },
  undone: { text: "Undone", tone: "quiet" },
};

/** The state of an import; a running one shows the title of its work. */
export const importStateLabel = ({ id, state }: ImportView, running: ImportWorkView | undefined): StateLabel =>
  running?.importId === id ? workTitle(running) : STATES[state];

/** The kind of a work, or its outcome. */
export function workTitle({
  step,
  isDryRun,
  isUndo,
}: Pick<ImportWorkView, "step" | "isDryRun" | "isUndo">): StateLabel {
  if (step === "refused")
    return isDryRun
      ? { text: "Cannot be imported as it is", tone: "warning" }
      : { text: "Not finished", tone: "problem" };
  if (step !== "done")
    return { text: isUndo ? "Being undone" : isDryRun ? "Dry run" : "Being imported", tone: "quiet" };
  if (isUndo) return { text: "Undone", tone: "quiet" };
  return isDryRun ? { text: "Dry run: nothing added yet", tone: "quiet" } : { text: "Imported", tone: "good" };
}

export const isOver = ({ step }: Pick<ImportWorkView, "step">): boolean => step === "done" || step === "refused";

/** The progress or the outcome of a work, in a sentence. */
export function workText(work: ImportWorkView): string {
  const { step, isDryRun, isUndo, animals, rejected, done, total, message } = work;
  switch (step) {
    case "upload":
      return "The file is being received.";
    case "validate":
      return `The file is being checked: ${countOf(done, "line")} so far.`;
    case "add":
      return total === null ? "Animals are being added." : `Added ${grouped(done)} of ${countOf(total, "animal")}.`;
    case "undo":
      return total === null ? "Animals are being deleted." : `Checked ${grouped(done)} of ${countOf(total, "animal")}.`;
    case "refused":
      return message ?? "The import was refused.";
    case "done":
      if (isDryRun && animals === 0)
        return `${rejected > 0 ? "All of its lines are invalid" : "It has only a header"}: nothing would be added.`;
      if (isDryRun)
        return `${countOf(animals, "animal")} would be added${rejected > 0 ? `; ${countOf(rejected, "line is", "lines are")} invalid` : ", and all lines are valid"}.`;
      if (isUndo) return undoneText(done, total ?? done);
      return `${countOf(animals, "animal")} ${animals === 1 ? "was" : "were"} added${rejected > 0 ? `; ${countOf(rejected, "invalid line was", "invalid lines were")} left out` : ""}.`;
  }
}

function undoneText(removed: number, added: number): string {
  const kept = added - removed;
  const rest =
    kept > 0 ? ` ${countOf(kept, "was", "were")} kept, because orders refer to ${kept === 1 ? "it" : "them"}.` : "";
  return `${countOf(removed, "animal")} ${removed === 1 ? "was" : "were"} deleted.${rest}`;
}

interface ShownWork {
  readonly work: ImportWorkView | undefined;
  /** True if the instance that responded does not know the work: its last known state is shown. */
  readonly isElsewhere: boolean;
}

/** The newest known work, unless one that was begun here runs on another instance of the fleet. */
export function shownWork(listed: readonly ImportWorkView[], begun: ImportWorkView | undefined): ShownWork {
  const isKnown = begun === undefined || listed.some(({ work }) => work === begun.work);
  return isKnown ? { work: listed[0], isElsewhere: false } : { work: begun, isElsewhere: true };
}

/** From 0 to 1; undefined if unknown. */
export const shareDone = ({ step, done, total }: ImportWorkView): number | undefined =>
  (step === "add" || step === "undo") && total !== null && total > 0 ? Math.min(1, done / total) : undefined;
