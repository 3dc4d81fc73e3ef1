import type { OrderView } from "../../../src/console/api/index.ts";
import { type OrderStatus, transitionsFrom } from "../../../src/domain/stock/order.ts";
import { call } from "../../api.ts";
import type { BulkAction } from "../../components/selection/ActionBar.tsx";
import { ActOnAll } from "../../components/selection/ActOnAll.tsx";
import { MOVE_LABELS } from "../../format/stock.ts";

// The moves of several orders at once: each is sent as from the page of one order.

const movingTo = (to: OrderStatus): BulkAction<OrderView> => {
  const { verb, animal } = MOVE_LABELS[to];
  const send = ({ id }: OrderView): Promise<unknown> =>
    call(`/orders/${id}`, { method: "PATCH", body: { status: to }, outlivesPage: true });
  return {
    verb,
    isDanger: to === "cancelled",
    canDo: ({ status }) => transitionsFrom(status).includes(to),
    ask: (many) => (
      <ActOnAll many={many} verb={verb} prepare={() => ({ done: to, send })}>
        Each animal {animal}. This cannot be undone.
      </ActOnAll>
    ),
  };
};

export const ORDER_ACTIONS = (["approved", "delivered", "cancelled"] as const).map(movingTo);
