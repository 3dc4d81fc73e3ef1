import type { Database } from "bun:sqlite";
import { animalWrites } from "./animals.ts";
import { categoryWrites } from "./categories.ts";
import { foldingWrites } from "./folding.ts";
import { idempotency, savedResponseWrites } from "./idempotency.ts";
import { importWrites, undoWrites } from "./imports.ts";
import { keyWrites } from "./keys.ts";
import { factWrites } from "./metadata.ts";
import { orderWrites } from "./orders.ts";
import { sessionWrites } from "./sessions.ts";
import { tallyWrites } from "./tallies.ts";
import { usageWrites } from "./usage.ts";
import type { PreparedWriter } from "./writer.ts";

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
