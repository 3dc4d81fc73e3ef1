import type { ImportProgress } from "../../bulk/import.ts";
import type { ImportWorkView } from "../api/index.ts";

// The states of an import job, and the events that lead from one to the next:
//
//   upload ──received──▶ validate ──progressed──▶ add ──finished──▶ done
//   undo ───────────────────────────────────────────────finished──▶ done
//
// From each of them but `done`, `refused` leads to the state of that name. Nothing leads out of `done` and `refused`.

/** A state as the pages see it; `step` names it. */
export type JobState = Omit<ImportWorkView, "work" | "hasFile">;

/** The lines of a file, once all of them are validated. */
type Validated = Pick<JobState, "animals" | "rejected" | "unreported" | "linesLeftOut" | "rejects">;

export type JobEvent =
  /** The whole file has arrived. */
  | { readonly kind: "received" }
  | ({ readonly kind: "progressed" } & Progress)
  | ({ readonly kind: "validated" } & Validated)
  /** The counts are those of an undo. */
  | ({ readonly kind: "finished" } & Partial<Pick<JobState, "done" | "total" | "animals">>)
  /** Refused by the store or by its file, failed, or stopped. */
  | ({ readonly kind: "refused"; readonly message: string | null } & Partial<Pick<JobState, "remedies" | "columns">>);

/** An undo has no steps. */
type Progress = Omit<ImportProgress, "step"> & Partial<Pick<ImportProgress, "step">>;

const NEW = {
  isDryRun: false,
  isUndo: false,
  done: 0,
  total: null,
  animals: 0,
  rejected: 0,
  unreported: 0,
  linesLeftOut: 0,
  rejects: [],
  message: null,
  remedies: [],
  columns: [],
  importId: null,
};

export const uploading = (name: string, isDryRun: boolean): JobState => ({ ...NEW, step: "upload", name, isDryRun });

export const undoing = (name: string, importId: bigint): JobState => ({
  ...NEW,
  step: "undo",
  name,
  isUndo: true,
  importId: String(importId),
});

export const isRunning = ({ step }: JobState): boolean => step !== "done" && step !== "refused";

/** The state that follows. A job that has ended stays as it is. */
export function nextState(state: JobState, event: JobEvent): JobState {
  if (!isRunning(state)) return state;
  switch (event.kind) {
    case "received":
      return { ...state, step: "validate" };
    case "progressed": {
      const { step = state.step, done, total = null, importId } = event;
      return { ...state, step, done, total, importId: importId === undefined ? state.importId : String(importId) };
    }
    case "validated": {
      const { kind, ...validated } = event;
      return { ...state, ...validated };
    }
    case "finished": {
      const { done, total, animals } = { ...state, ...event };
      return { ...state, done, total, animals, step: "done" };
    }
    case "refused": {
      const { message, remedies = [], columns = [] } = event;
      return { ...state, message, remedies, columns, step: "refused" };
    }
  }
}
