import type { Database } from "bun:sqlite";
import type { CountingPlace, MetadataStore } from "../../ports/store.ts";
import { COUNTING_PLACE, selectMetadata, upsertMetadata } from "../../sql/rows.ts";
import { attempt } from "../sql/attempt.ts";
import { type Connection, prepared } from "../sql/statements.ts";
import type { Writer, Writes } from "./writer.ts";

export function sqliteMetadata(connection: Connection, writes: Writes): MetadataStore {
  const get = prepared<{ value: string }, [string]>(connection, selectMetadata("?"));
  return {
    countingPlace: () => attempt(() => get().get(COUNTING_PLACE))?.value as CountingPlace | undefined,
    noteCountingPlace: (place) => writes.perform("noteCountingPlace", place),
  };
}

export function factWrites(db: Database): Pick<Writer, "noteCountingPlace"> {
  const upsert = prepared(
    db,
    upsertMetadata(() => "?"),
  );
  return { noteCountingPlace: (place) => void upsert().run(COUNTING_PLACE, place) };
}
