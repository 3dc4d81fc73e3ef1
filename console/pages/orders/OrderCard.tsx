import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { SECOND_MS } from "../../../src/base/time/clock.ts";
import type { OrderView } from "../../../src/console/api/index.ts";
import { type OrderStatus, transitionsFrom } from "../../../src/domain/stock/order.ts";
import { call, sentenceOf } from "../../api.ts";
import { Dialog } from "../../components/dialogs/Dialog.tsx";
import { announce, say } from "../../components/Toasts.tsx";
import { Name, Time } from "../../components/text.tsx";
import { MOVE_LABELS } from "../../format/stock.ts";
import { linkTo } from "../../router.ts";
import { delayedMoveOf, moveLater, UNDO_MS, undoMove } from "./delayed-moves.ts";

interface OrderCardProps {
  readonly order: OrderView;
  readonly onMoved: (order: OrderView) => void;
  readonly onRefused: () => void;
}

export const cardId = (id: string): string => `order-${id}`;

/** Focuses the first button of the next card, so that one order after the other can be approved by keyboard. */
function focusNext(card: HTMLElement | null): void {
  const next = card?.nextElementSibling ?? card;
  setTimeout(() => next?.querySelector<HTMLElement>("button")?.focus());
}

/** Focuses the card in its new column. On a phone, that column is hidden, so the old column gets the focus. */
function focusOn(order: OrderView, from: OrderStatus): void {
  setTimeout(() => {
    const card = document.getElementById(cardId(order.id));
    if (card?.checkVisibility()) card.focus();
    else document.querySelector<HTMLElement>(`h2[data-status=${from}]`)?.focus();
  });
}

/** True if the status has no transitions left. */
const isFinal = (status: OrderStatus): boolean => transitionsFrom(status).length === 0;

export function OrderCard({ order, onMoved, onRefused }: OrderCardProps) {
  const { id, petId, animalName, status, reference, placedAtMs, updatedAtMs } = order;
  const [asking, setAsking] = useState<OrderStatus | undefined>(undefined);
  const [isBusy, setBusy] = useState(false);
  const card = useRef<HTMLLIElement>(null);
  // If someone else moves the order while the card has the focus, the focus follows it.
  useLayoutEffect(
    () => () => {
      if (card.current?.contains(document.activeElement)) focusOn(order, status);
    },
    [],
  );
  async function move(to: OrderStatus): Promise<void> {
    setAsking(undefined);
    setBusy(true);
    try {
      const body = { status: to };
      const next = await call<OrderView>(`/orders/${id}`, { method: "PATCH", body, outlivesPage: true });
      const hadFocus = card.current?.contains(document.activeElement);
      onMoved(next);
      say(`Order ${id} is now ${to}.`);
      if (hadFocus) focusOn(next, status);
    } catch (error) {
      say(`Order ${id}: ${sentenceOf(error)}`, { isProblem: true });
      onRefused();
    } finally {
      setBusy(false);
    }
  }
  /** A final move is confirmed first. Any other can be undone for a while, because no move leads back. */
  function begin(to: OrderStatus): void {
    if (isFinal(to)) {
      setAsking(to);
      return;
    }
    moveLater(id, to, () => move(to));
    announce(`Order ${id} will be ${to} in ${UNDO_MS / SECOND_MS} seconds.`);
    focusNext(card.current);
  }
  const delayed = delayedMoveOf(id);
  return (
    <li ref={card} id={cardId(id)} class="card" tabIndex={-1} aria-label={`Order ${id}, ${status}`}>
      <div class="card-head">
        <span class="id">{id}</span>
        <span class="soft small">
          <Time ms={updatedAtMs} as="ago" />
        </span>
      </div>
      <a class="strong" href={linkTo(`/animals/${petId}`)}>
        {animalName === null ? `Animal ${petId}` : <Name>{animalName}</Name>}
      </a>
      <p class="soft small">
        {reference !== null && (
          <>
            <Name>{reference}</Name>{" "}
          </>
        )}
        placed <Time ms={placedAtMs} />
      </p>
      {delayed && (
        <div class="row card-moves">
          <button
            type="button"
            onClick={() => {
              undoMove(id);
              announce(`Order ${id} is still ${status}.`);
              setTimeout(() => card.current?.querySelector("button")?.focus());
            }}
          >
            Undo <span class="unseen">order {id}</span>
          </button>
          <span class="soft small">{MOVE_LABELS[delayed].doing}</span>
        </div>
      )}
      {!isFinal(status) && !delayed && (
        <div class="row card-moves">
          {transitionsFrom(status).map((to) => (
            <button key={to} type="button" aria-busy={isBusy} onClick={() => begin(to)}>
              {MOVE_LABELS[to].verb}
              {isFinal(to) ? "…" : ""} <span class="unseen">order {id}</span>
            </button>
          ))}
        </div>
      )}
      {asking && (
        <AskFirst order={order} to={asking} onMove={() => void move(asking)} onClose={() => setAsking(undefined)} />
      )}
    </li>
  );
}

interface AskFirstProps {
  readonly order: OrderView;
  readonly to: OrderStatus;
  readonly onMove: () => void;
  readonly onClose: () => void;
}

/** A simple confirmation: the move cannot be undone, but it is everyday work. */
const AskFirst = ({ order: { id, petId, animalName }, to, onMove, onClose }: AskFirstProps) => (
  <Dialog title={`${MOVE_LABELS[to].verb} order ${id}?`} onClose={onClose}>
    <p>
      <bdi>{animalName ?? `Animal ${petId}`}</bdi> {MOVE_LABELS[to].animal}. This cannot be undone.
    </p>
    <div class="dialog-buttons">
      <button type="button" onClick={onClose}>
        Leave it as it is
      </button>
      <button type="button" class={to === "cancelled" ? "is-main is-danger" : "is-main"} onClick={onMove}>
        {MOVE_LABELS[to].verb} the order
      </button>
    </div>
  </Dialog>
);
