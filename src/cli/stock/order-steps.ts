import type { OrderActor, OrderStep } from "../../domain/stock/order-history.ts";
import type { Store } from "../../store/ports/store.ts";
import { formatTime, timeOrNull } from "../terminal/print.ts";

// The history of an order: its statuses, and the keys and people that it has them from.

export interface ShownStep extends OrderStep {
  /** The name of the key that made the move; undefined if a person did, or if the key was deleted. */
  readonly keyName: string | undefined;
}

export async function withActors(
  { keys }: Pick<Store, "keys">,
  steps: readonly OrderStep[],
): Promise<readonly ShownStep[]> {
  const ids = new Set(steps.flatMap(({ by }) => (by && "keyId" in by ? [by.keyId] : [])));
  const names = new Map<string, string | undefined>();
  for (const id of ids) names.set(id, (await keys.get(id))?.name);
  return steps.map((step) => ({
    ...step,
    keyName: step.by && "keyId" in step.by ? names.get(step.by.keyId) : undefined,
  }));
}

/** "approved 2026-11-16 03:41:07Z by Anna (clerk, console)". */
export const factOfStep = ({ status, atMs, by, keyName }: ShownStep, i: number): readonly [string, string] => [
  i === 0 ? "history" : "",
  `${status}${atMs === undefined ? ", time not recorded," : ` ${formatTime(atMs)}`} by ${actorText(by, keyName)}`,
];

function actorText(by: OrderActor | undefined, keyName: string | undefined): string {
  if (by === undefined) return "somebody not recorded";
  if ("keyId" in by) return keyName === undefined ? `the deleted key ${by.keyId}` : `the key ${keyName} (${by.keyId})`;
  const way = by.via === "command" ? "command line" : by.via;
  return `${by.by} (${by.role === undefined ? way : `${by.role}, ${way}`})`;
}

/** With the names of the console's API. What is null was not recorded. */
export const jsonOfStep = ({ status, atMs, by, keyName }: ShownStep) => ({
  status,
  at: timeOrNull(atMs),
  by: by === undefined ? null : jsonOfActor(by, keyName),
});

const jsonOfActor = (by: OrderActor, keyName: string | undefined) =>
  "keyId" in by
    ? { kind: "key", id: by.keyId, name: keyName ?? null }
    : { kind: "person", by: by.by, via: by.via, role: by.role ?? null };
