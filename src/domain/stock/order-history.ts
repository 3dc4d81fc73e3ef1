import type { Author } from "../journal.ts";
import { type Acted, ORDER_STATUSES, type Order, type OrderStatus, transitionsFrom } from "./order.ts";

// The history of an order. No client of the API sees it: one would learn the ids of other keys.

/** The author of a move: a client of the API, by its key, or a person. */
export type OrderActor = { readonly keyId: string } | Author;

/** A move as it was recorded, in the transaction that made it. */
export interface OrderMove {
  readonly from: OrderStatus;
  readonly to: OrderStatus;
  readonly atMs: number;
  readonly by: OrderActor;
}

/** The recorded moves of an order. Release 1.1.0 records nothing, not even beside a newer one. */
export interface OrderRecord {
  readonly order: Order;
  /** The id of the key that placed it. */
  readonly placedBy: string | undefined;
  /** The oldest first. */
  readonly moves: readonly OrderMove[];
}

/** The actor to be recorded. */
export const actorOf = ({ author, keyId }: Acted): OrderActor | undefined => {
  if (author) return { by: author.by, via: author.via, role: author.role };
  return keyId === undefined ? undefined : { keyId };
};

/** A status that an order has had. What is undefined was not recorded. */
export interface OrderStep {
  readonly status: OrderStatus;
  readonly atMs: number | undefined;
  readonly by: OrderActor | undefined;
}

/** Every status that an order has had, the oldest first, also those that nobody recorded. */
export function stepsOf({ order, placedBy, moves }: OrderRecord): readonly OrderStep[] {
  const by = placedBy === undefined ? undefined : { keyId: placedBy };
  const steps: OrderStep[] = [{ status: "placed", atMs: order.placedAtMs, by }];
  const status = (): OrderStatus => (steps.at(-1) as OrderStep).status;
  for (const move of moves) {
    steps.push(...unrecorded(status(), move.from, undefined));
    steps.push({ status: move.to, atMs: move.atMs, by: move.by });
  }
  return [...steps, ...unrecorded(status(), order.status, order.updatedAtMs)];
}

/** The steps from one status to another that nobody recorded; of the last, at least the time may be known. */
function unrecorded(from: OrderStatus, to: OrderStatus, atMs: number | undefined): readonly OrderStep[] {
  if (from === to) return [];
  const last = { status: to, atMs, by: undefined };
  if (transitionsFrom(from).includes(to)) return [last];
  const between = transitionsFrom(from).find((status) => transitionsFrom(status).includes(to));
  return between === undefined ? [last] : [{ status: between, atMs: undefined, by: undefined }, last];
}

/** Why a record cannot be that of its order; undefined if it can. */
export function objectionToMoves(moves: readonly OrderMove[]): string | undefined {
  const isPossible = ({ from, to }: OrderMove): boolean =>
    ORDER_STATUSES.includes(from) && transitionsFrom(from).includes(to);
  const wrong = moves.find((move) => !isPossible(move));
  return wrong && `an order cannot move from ${wrong.from} to ${wrong.to}`;
}
