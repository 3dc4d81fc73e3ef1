import { useEffect } from "preact/hooks";
import { countOf } from "../../../src/base/text/text.ts";
import type { OrderListView, OrderView } from "../../../src/console/api/index.ts";
import { WRITES_STOCK } from "../../../src/domain/console-role.ts";
import type { OrderStatus } from "../../../src/domain/stock/order.ts";
import { Panel } from "../../components/layout/Page.tsx";
import { Empty, Loaded } from "../../components/layout/states.tsx";
import { ActionBar } from "../../components/selection/ActionBar.tsx";
import { useSelection } from "../../components/selection/selection.ts";
import { announce } from "../../components/Toasts.tsx";
import { CursorPager } from "../../components/tables/CursorPager.tsx";
import type { Column } from "../../components/tables/column.ts";
import { Badge } from "../../components/tables/StateBadge.tsx";
import type { Sorting } from "../../components/tables/sorting.ts";
import { Table } from "../../components/tables/Table.tsx";
import { Name, Time } from "../../components/text.tsx";
import { quoted } from "../../format/names.ts";
import { orderStatusLabel } from "../../format/stock.ts";
import { useLive } from "../../live.ts";
import { linkTo, withParams } from "../../router.ts";
import { may } from "../../session.ts";
import { ORDER_ACTIONS } from "./actions.tsx";

export const ORDER_COLUMN: Column<OrderView> = {
  title: "Order",
  sortBy: "id",
  cell: ({ id }) => <span class="strong id">{id}</span>,
};
export const STATUS_COLUMN: Column<OrderView> = {
  title: "Status",
  cell: ({ status }) => <Badge {...orderStatusLabel(status)} />,
};
export const REFERENCE_COLUMN: Column<OrderView> = {
  title: "Reference",
  isWide: true,
  cell: ({ reference }) => (reference === null ? <span class="soft">–</span> : <Name>{reference}</Name>),
};
export const PLACED_COLUMN: Column<OrderView> = {
  title: "Placed",
  isNumber: true,
  cell: ({ placedAtMs }) => <Time ms={placedAtMs} />,
};

const COLUMNS: readonly Column<OrderView>[] = [
  ORDER_COLUMN,
  {
    title: "Animal",
    cell: ({ petId, animalName }) => (animalName === null ? `Animal ${petId}` : <Name>{animalName}</Name>),
  },
  REFERENCE_COLUMN,
  STATUS_COLUMN,
  { ...PLACED_COLUMN, isWide: true },
];

const NAMES = {
  idOf: ({ id }: OrderView) => id,
  nameOf: ({ id, petId, animalName }: OrderView) => `${id} (${animalName ?? `animal ${petId}`})`,
};

interface OrderListProps {
  readonly status: OrderStatus | undefined;
  /** Empty if nothing is searched for. */
  readonly search: string;
  readonly cursor: string;
  readonly sorting: Sorting;
}

/** The orders that match. */
export function OrderList({ status, search, cursor, sorting }: OrderListProps) {
  const live = useLive<OrderListView>(withParams("/orders", { status, search, sort: sorting.current, cursor }));
  const { data, isStale } = live;
  const selection = useSelection(data?.items, NAMES);
  const isFiltered = search !== "" || status !== undefined;
  useEffect(() => {
    if (data && !isStale && isFiltered) announce(foundText(data));
  }, [data?.items.length, isStale, status, search]);
  return (
    <>
      <Loaded live={live} what="the orders" restart={linkTo("/orders", { view: "list" })}>
        {(view) => (
          <div>
            {view.hasMoreAnimals && search !== "" && (
              <p class="notice is-above">
                <span>
                  <b>Many animals have names like this.</b> Only the orders of some are shown. Type more of the name, or
                  the animal's id.
                </span>
              </p>
            )}
            <Panel isFlush>
              {view.items.length > 0 ? (
                <Table
                  caption="Orders"
                  columns={COLUMNS}
                  rows={view.items}
                  keyOf={({ id }) => id}
                  hrefOf={({ id }) => linkTo(`/orders/${id}`)}
                  isStale={isStale}
                  sorting={sorting}
                  selection={may(WRITES_STOCK) ? selection : undefined}
                />
              ) : (
                <None status={status} search={search} />
              )}
            </Panel>
            <CursorPager next={view.next} isStale={isStale} />
          </div>
        )}
      </Loaded>
      {may(WRITES_STOCK) && (
        <ActionBar selection={selection} actions={ORDER_ACTIONS} noun="order" onChanged={live.reload} />
      )}
    </>
  );
}

const foundText = ({ items, next }: OrderListView): string =>
  next === null ? `${countOf(items.length, "order")}.` : `More than ${countOf(items.length, "order")}.`;

const None = ({ status, search }: Pick<OrderListProps, "status" | "search">) =>
  search !== "" ? (
    <Empty title="No matching orders">
      No {status === undefined ? "" : `${status} `}order has <bdi>{quoted(search)}</bdi> as its id or its whole
      reference, or is for an animal with that id or a name that begins so.{" "}
      <a href={linkTo("/orders", { view: "list" })}>Show all orders</a>
    </Empty>
  ) : status !== undefined ? (
    <Empty title={`No ${status} orders`}>
      <a href={linkTo("/orders", { view: "list" })}>Show all orders</a>
    </Empty>
  ) : (
    <Empty title="No orders yet">Orders are placed through the API.</Empty>
  );
