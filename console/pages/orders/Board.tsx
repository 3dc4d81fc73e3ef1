import { useEffect, useState } from "preact/hooks";
import type { OrderView } from "../../../src/console/api/index.ts";
import { ORDER_STATUSES, type OrderStatus } from "../../../src/domain/stock/order.ts";
import { Segments } from "../../components/forms/Segments.tsx";
import { capitalized } from "../../format/keys.ts";
import { whenLeaving } from "../../leaving.ts";
import { address, linkWith } from "../../router.ts";
import { sendAllNow } from "./delayed-moves.ts";
import { OrderColumn } from "./OrderColumn.tsx";

interface BoardProps {
  /** On a phone, one status at a time. */
  readonly current: OrderStatus;
}

/** All orders in columns by status. */
export function Board({ current }: BoardProps) {
  const here = address.value;
  /** The orders in responses to moves. */
  const [moved, setMoved] = useState<ReadonlyMap<string, OrderView>>(new Map());
  /** Incremented to reload the lists. */
  const [round, setRound] = useState(0);
  useEffect(() => whenLeaving(sendAllNow), []);
  const choices = ORDER_STATUSES.map((status) => ({
    label: capitalized(status),
    href: linkWith(here, { status: status === "placed" ? null : status }),
    isCurrent: status === current,
  }));
  return (
    <>
      <div class="only-narrow">
        <Segments label="Status" choices={choices} />
      </div>
      <div class="board">
        {ORDER_STATUSES.map((status) => (
          <OrderColumn
            key={status}
            status={status}
            isCurrent={status === current}
            moved={moved}
            round={round}
            onMoved={(order) => {
              setMoved((last) => new Map(last).set(order.id, order));
              setRound((last) => last + 1);
            }}
            onRefused={() => setRound((last) => last + 1)}
          />
        ))}
      </div>
    </>
  );
}
