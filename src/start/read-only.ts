import type { Store, TallyStore } from "../store/ports/store.ts";
import type { Log } from "../telemetry/log.ts";

/** Logs whether the store takes writes: now if it does not, and when the function that it returns finds a change. */
export function readOnlyNote(store: Pick<Store, "isReadOnly">, log: Pick<Log, "info" | "warn">): () => void {
  let wasReadOnly = false;
  const note = () => {
    const isReadOnly = store.isReadOnly();
    if (isReadOnly && !wasReadOnly)
      log.warn("the database is read-only, as a replica is: reads are served, writes get 503, counters are not saved");
    if (!isReadOnly && wasReadOnly) log.info("the database takes writes again");
    wasReadOnly = isReadOnly;
  };
  note();
  return note;
}

/** Where counters are saved; nowhere while the store takes no writes. */
export const talliesOf = ({ tallies, isReadOnly }: Pick<Store, "tallies" | "isReadOnly">): TallyStore => ({
  ...tallies,
  save: async (changed) => {
    if (!isReadOnly()) await tallies.save(changed);
  },
});
