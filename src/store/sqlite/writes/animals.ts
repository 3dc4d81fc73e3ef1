import type { Database } from "bun:sqlite";
import { done } from "../../../domain/result.ts";
import { ANIMALS, insertInto, NEW_ANIMAL, newAnimalValues } from "../../rows.ts";
import type { WithIdempotency } from "../idempotency.ts";
import { prepared } from "../statements.ts";
import type { Writer } from "../writer.ts";

export function animalWrites(db: Database, withIdempotency: WithIdempotency): Pick<Writer, "createAnimal"> {
  const insert = prepared(
    db,
    insertInto(ANIMALS, NEW_ANIMAL, () => "?"),
  );
  return {
    createAnimal(animal, idempotencyKey) {
      const result = withIdempotency(idempotencyKey, () => {
        const { lastInsertRowid } = insert().run(...newAnimalValues(animal));
        return done({ id: BigInt(lastInsertRowid), ...animal });
      });
      return result.kind === "done" ? done(result.value.id) : result;
    },
  };
}
