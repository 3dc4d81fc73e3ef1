import type { CountingPlace, FactStore } from "../../ports/store.ts";
import { COUNTING_PLACE, selectFact } from "../../sql/rows.ts";
import { attempt } from "../sql/attempt.ts";
import { type Connection, prepared } from "../sql/statements.ts";
import type { Writes } from "./writer.ts";

export function sqliteFacts(connection: Connection, writes: Writes): FactStore {
  const get = prepared<{ value: string }, [string]>(connection, selectFact("?"));
  return {
    countingPlace: () => attempt(() => get().get(COUNTING_PLACE))?.value as CountingPlace | undefined,
    noteCountingPlace: (place) => writes.perform("noteCountingPlace", place),
  };
}
