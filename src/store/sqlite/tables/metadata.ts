import type { CountingPlace, MetadataStore } from "../../ports/store.ts";
import { COUNTING_PLACE, selectMetadata, upsertMetadata } from "../../sql/rows.ts";
import { attempt } from "../sql/attempt.ts";
import { type Connection, prepared } from "../sql/statements.ts";
import { BOOKKEEPING, declareWrites, forward, type Writes } from "./write.ts";

export function sqliteMetadata(connection: Connection, writes: Writes): MetadataStore {
  const get = prepared<{ value: string }, [string]>(connection, selectMetadata("?"));
  return {
    ...forward(writes, metadataWrites),
    countingPlace: () => attempt(() => get().get(COUNTING_PLACE))?.value as CountingPlace | undefined,
  };
}

export const metadataWrites = declareWrites("metadata", { noteCountingPlace: BOOKKEEPING }, (db) => {
  const upsert = prepared(
    db,
    upsertMetadata(() => "?"),
  );
  return { noteCountingPlace: (place) => void upsert().run(COUNTING_PLACE, place) };
});
