import { useEffect, useId, useRef, useState } from "preact/hooks";
import { countOf } from "../../../src/base/text/text.ts";
import type { OrderListView, OrderView } from "../../../src/console/api/index.ts";
import type { OrderStatus } from "../../../src/domain/stock/order.ts";
import { call, sentenceOf } from "../../api.ts";
import { CommandButton } from "../../commands/CommandButton.tsx";
import { useCommands } from "../../commands/registry.ts";
import { Empty, Loaded } from "../../components/layout/states.tsx";
import { announce, say } from "../../components/Toasts.tsx";
import { capitalized } from "../../format/keys.ts";
import { grouped } from "../../format/numbers.ts";
import { heldBack, inStatus, withFirstPage } from "../../format/stock.ts";
import { useLive } from "../../live.ts";
import { withParams } from "../../router.ts";
import { cardId, OrderCard } from "./OrderCard.tsx";

interface OrderColumnProps {
  readonly status: OrderStatus;
  /** On a phone, only the current column is shown. */
  readonly isCurrent: boolean;
  readonly moved: ReadonlyMap<string, OrderView>;
  /** The list is reloaded when this changes. */
  readonly round: number;
  readonly onMoved: (order: OrderView) => void;
  readonly onRefused: () => void;
}

const EMPTY_HINTS: Readonly<Record<OrderStatus, string>> = {
  placed: "New orders appear here.",
  approved: "Orders that you approve appear here.",
  delivered: "Orders that you deliver appear here.",
  cancelled: "Cancelled orders appear here.",
};

/** The orders of one status: the first page is kept up to date, and more pages are loaded on demand. */
function useOrders(status: OrderStatus, round: number) {
  const live = useLive<OrderListView>(`/orders?status=${status}`);
  const [known, setKnown] = useState<readonly OrderView[]>([]);
  /** The ids of orders that are shown; new ones would push away the card that the user is about to click. */
  const [shown, setShown] = useState<ReadonlySet<string>>(new Set());
  /** The answers that are shown as they are: what was seen at the last visit, and the first since. */
  const opening = useRef(live.data ? 2 : 1);
  /** Undefined while only the first page is shown. */
  const [nextOfMore, setNextOfMore] = useState<string | null | undefined>(undefined);
  const first = live.data;
  useEffect(() => {
    if (!first) return;
    setKnown((last) => withFirstPage(last, first));
    if (opening.current-- > 0) show(first.items);
  }, [first]);
  useEffect(() => {
    if (round > 0) live.reload();
  }, [round]);
  const next = nextOfMore === undefined || !first?.next ? (first?.next ?? null) : nextOfMore;
  function show(orders: readonly OrderView[]): void {
    setShown((last) => new Set([...last, ...orders.map(({ id }) => id)]));
  }
  async function more(): Promise<void> {
    if (next === null) return;
    try {
      const page = await call<OrderListView>(withParams("/orders", { status, cursor: next }));
      const ids = new Set(page.items.map(({ id }) => id));
      setKnown((last) => [...last.filter(({ id }) => !ids.has(id)), ...page.items]);
      show(page.items);
      setNextOfMore(page.next);
      announce(`${countOf(page.items.length, "more order")}.`);
      const [firstOfThem] = page.items;
      if (firstOfThem) setTimeout(() => document.getElementById(cardId(firstOfThem.id))?.focus());
    } catch (error) {
      say(sentenceOf(error), { isProblem: true });
    }
  }
  return { live, known, shown, show, hasMore: next !== null, more };
}

export function OrderColumn({ status, isCurrent, moved, round, onMoved, onRefused }: OrderColumnProps) {
  const titleId = useId();
  const { live, known, shown, show, hasMore, more } = useOrders(status, round);
  const { orders, newcomers } = heldBack(inStatus(status, known, moved), shown, moved);
  const hasAppeared = orders.some(({ id }) => !shown.has(id));
  useEffect(() => {
    if (hasAppeared) show(orders);
  }, [hasAppeared, orders]);
  const showNew = newcomers.length > 0 && {
    title: `Show ${countOf(newcomers.length, "new order")} that ${newcomers.length === 1 ? "is" : "are"} ${status}`,
    run: () => {
      show(newcomers);
      const [newest] = newcomers;
      if (newest) setTimeout(() => document.getElementById(cardId(newest.id))?.focus());
    },
  };
  const showMore = hasMore && { title: `Show more ${status} orders`, run: () => void more(), isOnDemand: true };
  useCommands([showNew, showMore]);
  return (
    <section class={isCurrent ? "column is-current" : "column"} aria-labelledby={titleId}>
      <div class="column-head">
        <h2 id={titleId} tabIndex={-1} data-status={status}>
          {capitalized(status)}
        </h2>
        {showNew ? (
          <CommandButton of={showNew} class="is-link small">
            {countOf(newcomers.length, "new order")}, show <span class="unseen">those that are {status}</span>
          </CommandButton>
        ) : (
          live.data && (
            <span class="soft small">{hasMore ? `newest ${grouped(orders.length)}` : grouped(orders.length)}</span>
          )
        )}
      </div>
      <Loaded live={live} what={`the ${status} orders`}>
        {() =>
          orders.length === 0 ? (
            <Empty title="No orders">{EMPTY_HINTS[status]}</Empty>
          ) : (
            <>
              <ul class="cards">
                {orders.map((order) => (
                  <OrderCard key={order.id} order={order} onMoved={onMoved} onRefused={onRefused} />
                ))}
              </ul>
              <CommandButton of={showMore}>
                Show more <span class="unseen">{status} orders</span>
              </CommandButton>
            </>
          )
        }
      </Loaded>
    </section>
  );
}
