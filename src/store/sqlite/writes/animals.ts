import type { Database } from "bun:sqlite";
import { type Animal, decideCorrection, decideRemoval } from "../../../domain/animal.ts";
import { done } from "../../../domain/result.ts";
import { correctionStatements } from "../../corrections.ts";
import { ANIMALS, insertInto, NEW_ANIMAL, newAnimalValues, SELECT_ANIMAL } from "../../rows.ts";
import { SQLITE } from "../dialect.ts";
import type { WithIdempotency } from "../idempotency.ts";
import { prepared } from "../statements.ts";
import type { Writer } from "../writer.ts";

type AnimalWrites = Pick<Writer, "createAnimal" | "correctAnimal" | "removeAnimal">;

export function animalWrites(db: Database, withIdempotency: WithIdempotency): AnimalWrites {
  const statements = correctionStatements(SQLITE);
  const insert = prepared(
    db,
    insertInto(ANIMALS, NEW_ANIMAL, () => "?"),
  );
  const get = prepared<Animal, [bigint]>(db, `${SELECT_ANIMAL} WHERE id = ?`);
  const update = prepared(db, statements.update);
  const remove = prepared(db, statements.remove);
  const findOpenOrder = prepared(db, statements.findOpenOrder);
  const findOrder = prepared(db, statements.findOrder);

  return {
    createAnimal(animal, idempotencyKey) {
      const result = withIdempotency(idempotencyKey, () => {
        const { lastInsertRowid } = insert().run(...newAnimalValues(animal));
        return done({ id: BigInt(lastInsertRowid), ...animal });
      });
      return result.kind === "done" ? done(result.value.id) : result;
    },
    correctAnimal: (correction, idempotencyKey) =>
      withIdempotency(idempotencyKey, () => {
        const { id } = correction;
        const hasOpenOrder = () => findOpenOrder().get(id) !== null;
        const decision = decideCorrection(get().get(id) ?? undefined, hasOpenOrder, correction);
        if (decision.kind === "done") update().run(...newAnimalValues(decision.value), id);
        return decision;
      }),
    removeAnimal: (removal, idempotencyKey) =>
      withIdempotency(idempotencyKey, () => {
        const { id } = removal;
        const decision = decideRemoval(get().get(id) ?? undefined, () => findOrder().get(id) !== null, removal);
        if (decision.kind === "done") remove().run(id);
        return decision;
      }),
  };
}
