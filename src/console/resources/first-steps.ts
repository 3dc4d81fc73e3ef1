import { OPERATOR_KEY_NAME } from "../../keys/operator-key.ts";
import type { Store } from "../../store/ports/store.ts";
import type { FirstStepsView } from "../api/index.ts";
import type { CountedKeys } from "../cached/known-keys.ts";

/** How far a new store is. One row is read at most, so that pages can ask as often as they like. */
export async function firstSteps(
  { animals }: Pick<Store, "animals">,
  { keys }: Pick<CountedKeys, "keys">,
  requests: number,
): Promise<FirstStepsView> {
  const all = [...keys.values()];
  const { rows } = await animals.list({ size: 1 });
  return {
    hasKey: all.some(({ name }) => name !== OPERATOR_KEY_NAME),
    hasAnimals: rows.length > 0,
    // The usage of this span knows of a request within seconds, and the keys of those before.
    hasRequests: requests > 0 || all.some(({ lastUsedAtMs }) => lastUsedAtMs !== undefined),
  };
}
