import { useLayoutEffect, useRef } from "preact/hooks";
import type { OrderView } from "../../../src/console/api/index.ts";
import type { OrderStatus } from "../../../src/domain/stock/order.ts";
import { Name, Time } from "../../components/text.tsx";
import { linkTo } from "../../router.ts";
import { OrderMoves } from "./OrderMoves.tsx";

interface OrderCardProps {
  readonly order: OrderView;
  readonly onMoved: (order: OrderView) => void;
  readonly onRefused: () => void;
}

export const cardId = (id: string): string => `order-${id}`;

/** Focuses the next card as this one is, by its link or a button, so that orders can be approved one after the other. */
function focusNext(card: HTMLElement | null): void {
  const next = card?.nextElementSibling ?? card;
  // At once, so that no key is lost, however fast they are pressed. A button of this card is made anew first.
  if (document.activeElement?.matches(".card-head > a")) next?.querySelector<HTMLElement>("a")?.focus();
  else setTimeout(() => next?.querySelector<HTMLElement>("button")?.focus());
}

/** Focuses the card in its new column. On a phone, that column is hidden, so the old column gets the focus. */
function focusOn(order: OrderView, from: OrderStatus): void {
  setTimeout(() => {
    const card = document.getElementById(cardId(order.id));
    if (card?.checkVisibility()) card.focus();
    else document.querySelector<HTMLElement>(`h2[data-status=${from}]`)?.focus();
  });
}

export function OrderCard({ order, onMoved, onRefused }: OrderCardProps) {
  const { id, petId, animalName, status, reference, placedAtMs, updatedAtMs } = order;
  const card = useRef<HTMLLIElement>(null);
  const hasFocus = (): boolean => card.current?.contains(document.activeElement) ?? false;
  // If someone else moves the order while the card has the focus, the focus follows it.
  useLayoutEffect(
    () => () => {
      if (hasFocus()) focusOn(order, status);
    },
    [],
  );
  function moved(next: OrderView): void {
    const hadFocus = hasFocus();
    onMoved(next);
    if (hadFocus) focusOn(next, status);
  }
  return (
    <li ref={card} id={cardId(id)} class="card" tabIndex={-1} aria-label={`Order ${id}, ${status}`}>
      <div class="card-head">
        <a class="id" href={linkTo(`/orders/${id}`)}>
          <span class="unseen">Order </span>
          {id}
        </a>
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
      <OrderMoves
        order={order}
        onMoved={moved}
        onRefused={onRefused}
        onDelayed={() => focusNext(card.current)}
        isOneOfMany
      />
    </li>
  );
}
