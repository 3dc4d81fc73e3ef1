import type { Database } from "bun:sqlite";
import { idempotency } from "../idempotency.ts";
import type { PreparedWriter } from "../writer.ts";
import { animalWrites } from "./animals.ts";
import { categoryWrites } from "./categories.ts";
import { foldingWrites } from "./folding.ts";
import { importWrites } from "./imports.ts";
import { keyWrites } from "./keys.ts";
import { factWrites } from "./metadata.ts";
import { orderWrites } from "./orders.ts";
import { savedResponseWrites } from "./saved-responses.ts";
import { sessionWrites } from "./sessions.ts";
import { tallyWrites } from "./tallies.ts";
import { undoWrites } from "./undos.ts";
import { usageWrites } from "./usage.ts";

export function prepareWriter(db: Database): PreparedWriter {
  const withIdempotency = idempotency(db);
  return {
    ...animalWrites(db, withIdempotency),
    ...categoryWrites(db, withIdempotency),
    ...orderWrites(db, withIdempotency),
    ...keyWrites(db),
    ...tallyWrites(db),
    ...usageWrites(db),
    ...factWrites(db),
    ...importWrites(db),
    ...undoWrites(db),
    ...savedResponseWrites(db),
    ...foldingWrites(db),
    ...sessionWrites(db),
  };
}
