import { useEffect, useState } from "preact/hooks";
import type { Alert, Count, OverviewView } from "../../../src/console/api/index.ts";
import { READS_KEYS } from "../../../src/domain/console-role.ts";
import type { Period } from "../../../src/domain/usage/grains.ts";
import { now } from "../../clock.ts";
import { Facts, Page, Panel } from "../../components/layout/Page.tsx";
import { Empty, Loaded } from "../../components/layout/states.tsx";
import { Quota } from "../../components/plots/Bar.tsx";
import { Figures } from "../../components/plots/Figures.tsx";
import { goToPeriod, PeriodChoice } from "../../components/plots/PeriodChoice.tsx";
import { LatencyPlot, RefusalsPlot, UsagePlot } from "../../components/plots/UsagePlot.tsx";
import { announce } from "../../components/Toasts.tsx";
import type { Column } from "../../components/tables/column.ts";
import { Badge } from "../../components/tables/StateBadge.tsx";
import { Table } from "../../components/tables/Table.tsx";
import { Counted, Name, Num, Time } from "../../components/text.tsx";
import { capitalized } from "../../format/keys.ts";
import { size } from "../../format/numbers.ts";
import { chosenIn, inQuery } from "../../format/periods.ts";
import { duration, viewersZone } from "../../format/time.ts";
import { POLL_MS, useLive } from "../../live.ts";
import { address, linkTo, withParams } from "../../router.ts";
import { may } from "../../session.ts";
import { FirstSteps } from "./FirstSteps.tsx";

/** Poll faster until the values that are computed in the background are known. */
const SOON_MS = 1000;
const isAllKnown = ({ busiest, animals, openOrders, instances }: OverviewView): boolean =>
  busiest?.asOfMs !== null && animals !== null && openOrders !== null && instances.length > 0;

/** The current state of the store. */
export function Overview() {
  const here = address.value;
  const chosen = chosenIn(here.params);
  const [everyMs, setEveryMs] = useState(POLL_MS);
  const live = useLive<OverviewView>(withParams("/overview", inQuery(chosen)), everyMs);
  const isPast = !("span" in chosen) && chosen.untilMs !== undefined;
  const zoom = (period: Period): void => goToPeriod(here, period);
  const isComplete = !live.data || isAllKnown(live.data);
  useEffect(() => setEveryMs(isComplete ? POLL_MS : SOON_MS), [isComplete]);
  return (
    <Page
      title="Overview"
      subtitle={`${isPast ? "" : "Live. "}Times are in your time zone, ${viewersZone()}.`}
      actions={<PeriodChoice address={here} chosen={chosen} path="/overview" />}
    >
      <Loaded live={live} what="the overview">
        {(view) => (
          <>
            <Alerts alerts={view.alerts} />
            {view.firstSteps && <FirstSteps steps={view.firstSteps} reload={live.reload} />}
            <Figures usage={view.usage} chosen={chosen} />
            <UsagePlot usage={view.usage} onZoom={zoom} />
            <RefusalsPlot usage={view.usage} heightPx={140} onZoom={zoom} />
            <LatencyPlot usage={view.usage} heightPx={140} onZoom={zoom} />
            {may(READS_KEYS) ? (
              <div class="two">
                <Busiest busiest={view.busiest} />
                <Stock view={view} />
              </div>
            ) : (
              <Stock view={view} />
            )}
            <Instances view={view} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

/** The alerts. New ones are announced to screen readers. */
function Alerts({ alerts }: { readonly alerts: readonly Alert[] }) {
  const titles = alerts.map(({ title }) => title).join(" ");
  useEffect(() => announce(titles), [titles]);
  return (
    <>
      {alerts.map(({ level, title, meaning, remedy, sinceMs }) => (
        <p key={title} class={level === "problem" ? "notice is-problem" : "notice"}>
          <b>{title}</b>{" "}
          <span class="meaning">
            {meaning}
            {sinceMs !== null && (
              <>
                {" "}
                Since <Time ms={sinceMs} />.
              </>
            )}
          </span>
          <Remedy remedy={remedy} />
        </p>
      ))}
    </>
  );
}

/** A link to a page of keys, or a path in the documentation, which this server does not serve. */
const Remedy = ({ remedy }: { readonly remedy: string }) =>
  remedy.startsWith("/") && !may(READS_KEYS) ? (
    <span class="remedy">Ask the operator of the store.</span>
  ) : remedy.startsWith("/") ? (
    <a class="remedy" href={linkTo(remedy)}>
      What to do
    </a>
  ) : (
    <span class="remedy">
      What to do: <code>{remedy}</code>
    </span>
  );

type Busiest = OverviewView["busiest"];
type Busy = NonNullable<Busiest>["keys"][number];

/** The shares of client errors and of refusals that need attention. Some 404s are in the nature of things. */
const MANY_CLIENT_ERRORS = 0.1;
const MANY_REFUSED = 0.01;

/** A part of the requests, emphasized if it is more than it should be. */
const Part = ({ value, tooMany }: { readonly value: number; readonly tooMany: number }) => (
  <span class={value > tooMany ? "warning" : undefined}>
    <Num value={value} />
  </span>
);

const BUSIEST_COLUMNS: readonly Column<Busy>[] = [
  { title: "Key", cell: ({ name }) => (name === null ? <span class="soft">deleted</span> : <Name>{name}</Name>) },
  { title: "Requests", isNumber: true, cell: ({ requests }) => <Num value={requests} /> },
  {
    title: "Client errors",
    isNumber: true,
    isWide: true,
    cell: ({ clientErrors, requests }) => <Part value={clientErrors} tooMany={requests * MANY_CLIENT_ERRORS} />,
  },
  {
    title: "Refused",
    isNumber: true,
    cell: ({ refused, requests }) => <Part value={refused} tooMany={requests * MANY_REFUSED} />,
  },
  { title: "Failed", isNumber: true, isWidest: true, cell: ({ failed }) => <Part value={failed} tooMany={0} /> },
  { title: "Today's quota", isWide: true, cell: ({ today }) => <Quota window={today} as="percentage" /> },
];

const Busiest = ({ busiest }: { readonly busiest: Busiest }) => (
  <Panel title="Busiest keys" isFlush>
    {busiest === null ? (
      <Empty title="Not summed up">
        Keys are compared over 31 days at most. Choose a shorter period, or drag over a part of the plot.
      </Empty>
    ) : busiest.asOfMs === null ? (
      <Empty title="Not known yet">Requests are being summed up. This takes a moment.</Empty>
    ) : busiest.keys.length === 0 ? (
      <Empty title="No requests">
        No key was used in this period. <a href={linkTo("/keys")}>See the keys</a>
      </Empty>
    ) : (
      <Table
        caption="Busiest keys"
        columns={BUSIEST_COLUMNS}
        rows={busiest.keys}
        keyOf={({ keyId }) => keyId}
        hrefOf={({ keyId, name }) => (name === null ? undefined : linkTo(`/keys/${keyId}`))}
      />
    )}
  </Panel>
);

/** The counts of animals and orders. */
const Stock = ({ view: { animals, openOrders } }: { readonly view: OverviewView }) => (
  <Panel title="Animals">
    {animals ? (
      <>
        <div class={total(animals) > 0 ? "shares" : "shares is-empty"} aria-hidden="true">
          {[animals.available, animals.pending, animals.sold].map(({ value }, i) => (
            <i
              key={STOCK_COLOURS[i]}
              style={{ flex: `${value} 0 ${value > 0 ? "3px" : "0"}`, background: `var(${STOCK_COLOURS[i]})` }}
            />
          ))}
        </div>
        <Facts
          areSums
          facts={[
            ["Available", <Counted key="available" count={animals.available} />],
            ["Pending", <Counted key="pending" count={animals.pending} />],
            ["Sold", <Counted key="sold" count={animals.sold} />],
          ]}
        />
      </>
    ) : (
      <p class="soft">Counting. This may take a while in a large store.</p>
    )}
    <h2 class="next">Open orders</h2>
    {openOrders ? (
      <Facts
        areSums
        facts={[
          ["Placed", <Counted key="placed" count={openOrders.placed} />],
          ["Approved", <Counted key="approved" count={openOrders.approved} />],
        ]}
      />
    ) : (
      <p class="soft">Counting.</p>
    )}
  </Panel>
);

const total = (counts: Readonly<Record<string, Count>>): number =>
  Object.values(counts).reduce((sum, { value }) => sum + value, 0);

const STOCK_COLOURS = ["--passed", "--refused", "--neutral"];

type Instance = OverviewView["instances"][number];

/** The state of an instance: "Ready"; "Lost, last seen 2 min ago". */
function InstanceState({ instance }: { readonly instance: Instance }) {
  if (instance.state === "stopped") return <Badge text="Stopped" tone="quiet" />;
  if (instance.state === "lost")
    return (
      <>
        <Badge text="Lost" tone="problem" />{" "}
        <span class="soft small only-wide">
          last seen <Time ms={instance.seenAtMs} as="ago" />
        </span>
      </>
    );
  if (instance.health === "ready") return <Badge text="Ready" tone="good" />;
  return <Badge text={capitalized(instance.health)} tone="warning" />;
}

const INSTANCE_COLUMNS: readonly Column<Instance>[] = [
  { title: "Host", cell: ({ host }) => <Name>{host}</Name> },
  { title: "State", cell: (instance) => <InstanceState instance={instance} /> },
  { title: "Version", isWide: true, cell: ({ version }) => version },
  { title: "Threads", isNumber: true, isWide: true, cell: ({ threads }) => <Num value={threads} /> },
  {
    title: "Up for",
    isNumber: true,
    cell: ({ state, startedAtMs }) => (state === "alive" ? duration(now.value - startedAtMs) : "–"),
  },
];

const STORE_NAMES = { sqlite: "SQLite", postgres: "PostgreSQL" } as const;

const Instances = ({ view: { instances, store } }: { readonly view: OverviewView }) => (
  <Panel
    title="Instances"
    isFlush
    aside={
      <span class="soft small">
        {STORE_NAMES[store.kind]}, <bdi>{store.place}</bdi>
        {store.bytes !== null && `, ${size(store.bytes)}`}
      </span>
    }
  >
    {instances.length > 0 ? (
      <Table caption="Instances" columns={INSTANCE_COLUMNS} rows={instances} keyOf={({ id }) => id} />
    ) : (
      <Empty title="Not listed yet">Instances appear here a few seconds after a start.</Empty>
    )}
  </Panel>
);
