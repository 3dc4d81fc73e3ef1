import { signal } from "@preact/signals";
import type { OrderStatus } from "../../../src/domain/stock/order.ts";

/** A move that can still be undone. No other move leads back once it was made. */
interface DelayedMove {
  readonly to: OrderStatus;
  readonly timer: ReturnType<typeof setTimeout>;
  readonly send: () => Promise<void>;
}

export const UNDO_MS = 5_000;

/** Moves by order that are not sent yet: each is after some seconds, or at once when the page is left. */
const delayed = signal<ReadonlyMap<string, DelayedMove>>(new Map());

export const delayedMoveOf = (id: string): OrderStatus | undefined => delayed.value.get(id)?.to;

export const isLatestDelayed = (id: string): boolean => [...delayed.value.keys()].at(-1) === id;

export function moveLater(id: string, to: OrderStatus, send: () => Promise<void>): void {
  const timer = setTimeout(() => void sendNow(id), UNDO_MS);
  delayed.value = new Map(delayed.value).set(id, { to, timer, send });
}

/** Takes the move back, unless it was sent already. */
export function undoMove(id: string): DelayedMove | undefined {
  const move = delayed.peek().get(id);
  clearTimeout(move?.timer);
  delayed.value = new Map([...delayed.peek()].filter(([other]) => other !== id));
  return move;
}

const sendNow = async (id: string): Promise<void> => undoMove(id)?.send();

/** Resolves when the service has answered each. */
export const sendAllNow = (): Promise<unknown> => Promise.all([...delayed.peek().keys()].map(sendNow));
