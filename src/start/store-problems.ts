import type { Store, StoreProblem } from "../store/ports/store.ts";
import type { Logs } from "./logs.ts";

const MESSAGES: Record<StoreProblem, string> = {
  checkpoint:
    "could not move writes from the log to the database file: they are safe in the log, which grows until this succeeds. Check the disk",
  sync: "the disk failed to keep what was written: no write is accepted until the database has been opened again and checked",
  reopen: "could not open the database again after a failure of the disk: the next attempt follows in a second",
};

/** Reports what goes wrong in the store without any request being told. */
export function reportStoreProblems(store: Pick<Store, "onProblem">, report: Logs["report"]): void {
  store.onProblem((problem, error) => report(MESSAGES[problem])(error));
}
