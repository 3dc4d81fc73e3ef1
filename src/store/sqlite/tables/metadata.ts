import type { CountingPlace, MetadataStore } from "../../ports/store.ts";
import { COUNTING_PLACE, selectMetadata } from "../../sql/rows.ts";
import { attempt } from "../sql/attempt.ts";
import { type Connection, prepared } from "../sql/statements.ts";
import type { Writes } from "./writer.ts";

export function sqliteMetadata(connection: Connection, writes: Writes): MetadataStore {
  const get = prepared<{ value: string }, [string]>(connection, selectMetadata("?"));
  return {
    countingPlace: () => attempt(() => get().get(COUNTING_PLACE))?.value as CountingPlace | undefined,
    noteCountingPlace: (place) => writes.perform("noteCountingPlace", place),
  };
}
