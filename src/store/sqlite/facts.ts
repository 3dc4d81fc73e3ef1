import { COUNTING_PLACE, selectFact } from "../rows.ts";
import type { CountingPlace, FactStore } from "../store.ts";
import { attempt } from "./attempt.ts";
import { type Connection, prepared } from "./statements.ts";
import type { Writes } from "./writer.ts";

export function sqliteFacts(connection: Connection, writes: Writes): FactStore {
  const get = prepared<{ value: string }, [string]>(connection, selectFact("?"));
  return {
    countingPlace: () => attempt(() => get().get(COUNTING_PLACE))?.value as CountingPlace | undefined,
    noteCountingPlace: (place) => writes.perform("noteCountingPlace", place),
  };
}
