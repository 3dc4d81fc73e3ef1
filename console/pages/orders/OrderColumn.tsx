import { useEffect, useId, useState } from "preact/hooks";
import { countOf } from "../../../src/base/text/text.ts";
import type { OrderListView, OrderView } from "../../../src/console/api/index.ts";
import type { OrderStatus } from "../../../src/domain/stock/order.ts";
import { call, sentenceOf } from "../../api.ts";
import { Empty, Loaded } from "../../components/layout/states.tsx";
import { announce, say } from "../../components/Toasts.tsx";
import { capitalized } from "../../format/keys.ts";
import { grouped } from "../../format/numbers.ts";
import { inStatus, withFirstPage } from "../../format/stock.ts";
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
  /** Undefined while only the first page is shown. */
  const [nextOfMore, setNextOfMore] = useState<string | null | undefined>(undefined);
  const first = live.data;
  useEffect(() => {
    if (first) setKnown((last) => withFirstPage(last, first));
  }, [first]);
  useEffect(() => {
    if (round > 0) live.reload();
  }, [round]);
  const next = nextOfMore === undefined || !first?.next ? (first?.next ?? null) : nextOfMore;
  async function more(): Promise<void> {
    if (next === null) return;
    try {
      const page = await call<OrderListView>(withParams("/orders", { status, cursor: next }));
      const ids = new Set(page.items.map(({ id }) => id));
      setKnown((last) => [...last.filter(({ id }) => !ids.has(id)), ...page.items]);
      setNextOfMore(page.next);
      announce(`${countOf(page.items.length, "more order")}.`);
      const [firstOfThem] = page.items;
      if (firstOfThem) setTimeout(() => document.getElementById(cardId(firstOfThem.id))?.focus());
    } catch (error) {
      say(sentenceOf(error), { isProblem: true });
    }
  }
  return { live, known, hasMore: next !== null, more };
}

export function OrderColumn({ status, isCurrent, moved, round, onMoved, onRefused }: OrderColumnProps) {
  const titleId = useId();
  const { live, known, hasMore, more } = useOrders(status, round);
  const orders = inStatus(status, known, moved);
  return (
    <section class={isCurrent ? "column is-current" : "column"} aria-labelledby={titleId}>
      <div class="column-head">
        <h2 id={titleId} tabIndex={-1} data-status={status}>
          {capitalized(status)}
        </h2>
        {live.data && <span class="soft small">{hasMore ? `over ${grouped(orders.length)}` : orders.length}</span>}
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
              {hasMore && (
                <button type="button" onClick={() => void more()}>
                  Show more <span class="unseen">{status} orders</span>
                </button>
              )}
            </>
          )
        }
      </Loaded>
    </section>
  );
}
