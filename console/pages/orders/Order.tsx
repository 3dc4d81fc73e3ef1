import { useEffect } from "preact/hooks";
import type { OrderActorView, OrderDetailView, OrderStepView } from "../../../src/console/api/index.ts";
import { CopyableId } from "../../components/forms/CopyButton.tsx";
import { Facts, Page, Panel } from "../../components/layout/Page.tsx";
import { PageOfOne } from "../../components/layout/PageOfOne.tsx";
import { Outdated } from "../../components/layout/states.tsx";
import type { Column } from "../../components/tables/column.ts";
import { Badge } from "../../components/tables/StateBadge.tsx";
import { Table } from "../../components/tables/Table.tsx";
import { Name, Time } from "../../components/text.tsx";
import { howOf } from "../../format/journal.ts";
import { capitalized } from "../../format/keys.ts";
import { orderStatusLabel } from "../../format/stock.ts";
import { whenLeaving } from "../../leaving.ts";
import { type Live, useLive } from "../../live.ts";
import { linkTo } from "../../router.ts";
import { sendAllNow } from "./delayed-moves.ts";
import { OrderMoves } from "./OrderMoves.tsx";

const PARENT = { title: "Orders", href: linkTo("/orders") };

/** One order: its animal, its history, and its moves. */
export function Order({ params }: { readonly params: Readonly<Record<string, string>> }) {
  const live = useLive<OrderDetailView>(`/orders/${encodeURIComponent(params.id as string)}`);
  useEffect(() => whenLeaving(sendAllNow), []);
  return (
    <PageOfOne live={live} title="Order" what="the order" parent={PARENT}>
      {(order) => <Known live={live} of={order} />}
    </PageOfOne>
  );
}

interface KnownProps {
  readonly live: Live<OrderDetailView>;
  readonly of: OrderDetailView;
}

const Known = ({ live, of }: KnownProps) => (
  <Page
    title={`Order ${of.id}`}
    badge={<Badge {...orderStatusLabel(of.status)} />}
    parent={PARENT}
    actions={
      // The history of a move that was made comes with the next answer.
      <OrderMoves order={of} onMoved={live.reload} onRefused={live.reload} />
    }
  >
    {live.error !== undefined && <Outdated error={live.error} />}
    <div class="two">
      <Panel title="History" isFlush>
        <Table caption="History of this order" columns={STEP_COLUMNS} rows={of.steps} keyOf={({ status }) => status} />
      </Panel>
      <OrderFacts of={of} />
    </div>
  </Page>
);

const NotRecorded = () => <span class="soft">not recorded</span>;

const STEP_COLUMNS: readonly Column<OrderStepView>[] = [
  { title: "What", cell: ({ status }) => <span class="strong">{capitalized(status)}</span> },
  { title: "Who", cell: ({ by }) => (by === null ? <NotRecorded /> : <Actor by={by} />) },
  { title: "When", isNumber: true, cell: ({ atMs }) => (atMs === null ? <NotRecorded /> : <Time ms={atMs} />) },
];

/** A key, with its id because others may have the same name, or a person as in the journal. */
function Actor({ by }: { readonly by: OrderActorView }) {
  if (by.kind === "person")
    return (
      <>
        <Name>{by.by}</Name> <span class="soft small">{howOf(by)}</span>
      </>
    );
  return (
    <>
      {by.name === null ? (
        <span class="soft">deleted key</span>
      ) : by.id === null ? (
        <Name>{by.name}</Name>
      ) : (
        <a href={linkTo(`/keys/${by.id}`)}>
          <Name>{by.name}</Name>
        </a>
      )}
      {by.id !== null && <span class="soft small path"> {by.id}</span>}
    </>
  );
}

const OrderFacts = ({ of }: { readonly of: OrderDetailView }) => {
  const [placing] = of.steps;
  return (
    <Panel title="Details">
      <Facts
        facts={[
          ["Id", <CopyableId key="id" id={of.id} />],
          [
            "Animal",
            <a key="animal" href={linkTo(`/animals/${of.petId}`)}>
              {of.animalName === null ? `Animal ${of.petId}` : <Name>{of.animalName}</Name>}
            </a>,
          ],
          ["Reference", of.reference === null ? "none" : <Name key="reference">{of.reference}</Name>],
          ["Status", capitalized(of.status)],
          ["Placed", <Time key="placed" ms={of.placedAtMs} />],
          ["Placed by", placing?.by ? <Actor key="by" by={placing.by} /> : "not recorded"],
          ["Last update", <Time key="updated" ms={of.updatedAtMs} />],
        ]}
      />
    </Panel>
  );
};
