import type { CountingPlace } from "../../ports/store.ts";
import { COUNTING_PLACE, FACTS, selectMetadata } from "../rows.ts";
import type { Dialect } from "../searches.ts";
import { upsertInto } from "../table.ts";
import { first, run, type Work } from "../work.ts";

export const metadataWork = ({ placeholder }: Dialect) => ({
  reads: {
    *countingPlace(): Work<CountingPlace | undefined> {
      return (yield* first<{ value: CountingPlace }>(selectMetadata(placeholder(1)), [COUNTING_PLACE]))?.value;
    },
  },
  writes: {
    *noteCountingPlace(place: CountingPlace): Work<void> {
      yield* run(upsertInto(FACTS, placeholder), [COUNTING_PLACE, place]);
    },
  },
});
