import type { Database } from "bun:sqlite";
import { COUNTING_PLACE, upsertMetadata } from "../../../sql/rows.ts";
import { prepared } from "../../sql/statements.ts";
import type { Writer } from "../writer.ts";

export function factWrites(db: Database): Pick<Writer, "noteCountingPlace"> {
  const upsert = prepared(
    db,
    upsertMetadata(() => "?"),
  );
  return { noteCountingPlace: (place) => void upsert().run(COUNTING_PLACE, place) };
}
