import { ORDER_STATUSES, type OrderStatus } from "../../../src/domain/stock/order.ts";
import { Filter, Search } from "../../components/forms/Form.tsx";
import { Segments } from "../../components/forms/Segments.tsx";
import { Page } from "../../components/layout/Page.tsx";
import { SortField } from "../../components/tables/SortField.tsx";
import { type SortChoice, sortingOf } from "../../components/tables/sorting.ts";
import { capitalized } from "../../format/keys.ts";
import { address, linkTo, linkWith, navigate } from "../../router.ts";
import { Board } from "./Board.tsx";
import { OrderList } from "./OrderList.tsx";

const statusIn = (params: URLSearchParams): OrderStatus | undefined =>
  ORDER_STATUSES.find((status) => status === params.get("status"));

const SORTS: readonly SortChoice[] = [
  { sort: "-id", label: "Newest first" },
  { sort: "id", label: "Oldest first" },
];

const STATUS_OPTIONS = ORDER_STATUSES.map((value) => ({ value, label: capitalized(value) }));

/** All orders, as a board or as a list that can be searched. Either is in the address. */
export function Orders() {
  const here = address.value;
  const status = statusIn(here.params);
  const search = here.params.get("search") ?? "";
  const isList = here.params.get("view") === "list" || search !== "";
  const sorting = sortingOf(here.params.get("sort") ?? "", "-id", SORTS);
  const order = isList && sorting.current === "id" ? "Oldest first" : "Newest first";
  const views = [
    { label: "Board", href: linkTo("/orders", { status }), isCurrent: !isList },
    { label: "List", href: linkTo("/orders", { view: "list", status }), isCurrent: isList },
  ];
  return (
    <Page title="Orders" subtitle={`${order}. Orders are placed through the API.`}>
      <search class="tools">
        <Search
          label="Search by order id, reference or animal"
          value={search}
          onChange={(text) =>
            navigate(linkWith(here, { view: "list", search: text, cursor: null }), { isReplacing: true })
          }
        />
        {isList && (
          <>
            <Filter
              label="Status"
              all="All statuses"
              value={status ?? ""}
              options={STATUS_OPTIONS}
              onChange={(value) => navigate(linkWith(here, { status: value, cursor: null }), { isReplacing: true })}
            />
            <SortField sorting={sorting} />
          </>
        )}
        <Segments label="View" choices={views} />
      </search>
      {isList ? (
        <OrderList status={status} search={search} cursor={here.params.get("cursor") ?? ""} sorting={sorting} />
      ) : (
        <Board current={status ?? "placed"} />
      )}
    </Page>
  );
}
