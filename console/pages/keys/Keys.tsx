import { useEffect, useState } from "preact/hooks";
import { countOf } from "../../../src/base/text/text.ts";
import type {
  KeyListView,
  KeySort,
  KeyStateFilter,
  KeyStateView,
  ListedKeyView,
} from "../../../src/console/api/index.ts";
import { OPERATOR_ONLY } from "../../../src/domain/console-role.ts";
import { PLAN_NAMES, type Plan } from "../../../src/domain/keys/plan.ts";
import { CommandButton } from "../../commands/CommandButton.tsx";
import { useCommands } from "../../commands/registry.ts";
import { Filter, Search } from "../../components/forms/Form.tsx";
import { Page, Panel } from "../../components/layout/Page.tsx";
import { Empty, Loaded } from "../../components/layout/states.tsx";
import { Quota } from "../../components/plots/Bar.tsx";
import { Sparkline } from "../../components/plots/Sparkline.tsx";
import { ActionBar } from "../../components/selection/ActionBar.tsx";
import { type Selection, useSelection } from "../../components/selection/selection.ts";
import { announce } from "../../components/Toasts.tsx";
import type { Column } from "../../components/tables/column.ts";
import { SortField } from "../../components/tables/SortField.tsx";
import { StateBadge } from "../../components/tables/StateBadge.tsx";
import { type SortChoice, type Sorting, sortingOf } from "../../components/tables/sorting.ts";
import { Pager, Table } from "../../components/tables/Table.tsx";
import { Name, Time } from "../../components/text.tsx";
import { accessText, capitalized, planName } from "../../format/keys.ts";
import { grouped } from "../../format/numbers.ts";
import { useLive } from "../../live.ts";
import { address, linkTo, linkWith, navigate, withParams } from "../../router.ts";
import { may } from "../../session.ts";
import { KEY_ACTIONS } from "./actions.tsx";
import { IssueKey } from "./IssueKey.tsx";

const STATES: readonly KeyStateView[] = ["active", "banned", "suspended", "expired", "revoked"];
const STATE_OPTIONS: readonly { readonly value: KeyStateFilter; readonly label: string }[] = [
  { value: "not_revoked", label: "All but revoked" },
  ...STATES.map((value) => ({ value, label: capitalized(value) })),
];

const LastUse = ({ ms }: { readonly ms: number | null }) => (ms === null ? <>never used</> : <Time ms={ms} as="ago" />);

const SORTS: readonly SortChoice[] = [
  { sort: "", label: "Newest first" },
  { sort: "name", label: "Name, A to Z" },
  { sort: "-name", label: "Name, Z to A" },
  { sort: "plan", label: "Plan, smallest first" },
  { sort: "-plan", label: "Plan, largest first" },
  { sort: "state", label: "State, active first" },
  { sort: "-state", label: "State, revoked first" },
  { sort: "-today", label: "Today's quota, most used first" },
  { sort: "today", label: "Today's quota, least used first" },
  { sort: "-refused", label: "Most refused in 24 hours" },
  { sort: "refused", label: "Fewest refused in 24 hours" },
  { sort: "-lastUsed", label: "Last used, latest first" },
  { sort: "lastUsed", label: "Last used, longest ago first" },
] satisfies readonly { readonly sort: KeySort | ""; readonly label: string }[];

const isByRefused = ({ current }: Sorting): boolean => current.endsWith("refused");

/** On all but large screens, the refused requests are shown only while they order the list, instead of other columns. */
const columnsFor = (sorting: Sorting): readonly Column<ListedKeyView>[] => [
  {
    title: "Name",
    sortBy: "name",
    cell: ({ id, name, isNameShared, lastUsedAtMs, refused }) => (
      <>
        <span class="strong">
          <Name>{name}</Name>
        </span>
        {isNameShared && <span class="soft small id">{id}</span>}
        <span class="soft small only-narrow">
          {isByRefused(sorting) ? `${grouped(refused ?? 0)} refused` : <LastUse ms={lastUsedAtMs} />}
        </span>
      </>
    ),
  },
  { title: "Plan", sortBy: "plan", isWide: true, isExtra: isByRefused(sorting), cell: ({ plan }) => planName(plan) },
  {
    title: "Access",
    isExtra: true,
    isWidest: isByRefused(sorting),
    cell: ({ scopes }) => <span class="soft">{accessText(scopes)}</span>,
  },
  { title: "State", sortBy: "state", cell: (key) => <StateBadge of={key} /> },
  {
    title: "Today",
    sortBy: "today",
    isWide: true,
    cell: ({ state, today }) => (state === "revoked" ? <span class="soft">–</span> : <Quota window={today} />),
  },
  {
    title: "Refused in 24 h",
    sortBy: "refused",
    isNumber: true,
    isWide: true,
    isWidest: !isByRefused(sorting),
    cell: ({ refused, hours }) => (
      <>
        {hours && <Sparkline hours={hours} />}
        <span class={refused ? undefined : "soft"}>{refused === null ? "–" : grouped(refused)}</span>
      </>
    ),
  },
  {
    title: "Last used",
    sortBy: "lastUsed",
    isNumber: true,
    isWide: true,
    cell: ({ lastUsedAtMs }) => (
      <span class="soft">
        <LastUse ms={lastUsedAtMs} />
      </span>
    ),
  },
];

const NAMES = {
  idOf: ({ id }: ListedKeyView) => id,
  nameOf: ({ id, name, isNameShared }: ListedKeyView) => (isNameShared ? `${name} (${id})` : name),
};

/** The list of keys. Search and filters are kept in the address. */
export function Keys() {
  const here = address.value;
  const [search, plan, state, sort, page] = ["search", "plan", "state", "sort", "page"].map(
    (name) => here.params.get(name) ?? "",
  );
  const sorting = sortingOf(sort ?? "", "", SORTS);
  const live = useLive<KeyListView>(withParams("/keys", { search, plan, state, sort, page }));
  const [isIssuing, setIssuing] = useState(false);
  const selection = useSelection(live.data?.keys, NAMES);
  const filter = (changes: { search?: string; plan?: string; state?: string }): void =>
    navigate(linkWith(here, { ...changes, page: null }), { isReplacing: true });
  const issue = may(OPERATOR_ONLY) && { title: "Issue a key", run: () => setIssuing(true) };
  useCommands([issue]);
  const { data, isStale } = live;
  const isFiltered = Boolean(search || plan || state);
  useEffect(() => {
    if (data && !isStale && isFiltered) announce(`${countOf(data.matching, "key matches", "keys match")}.`);
  }, [data?.matching, isStale, isFiltered]);
  return (
    <Page title="Keys" subtitle={data ? subtitleOf(data, isFiltered) : ""}>
      <search class="tools">
        <Search label="Search by name or id" value={search ?? ""} onChange={(text) => filter({ search: text })} />
        <Filter
          label="Plan"
          all="All plans"
          value={(plan ?? "") as Plan | ""}
          options={PLAN_NAMES.map((value) => ({ value, label: planName(value) }))}
          onChange={(value) => filter({ plan: value })}
        />
        <Filter
          label="State"
          all="All states"
          value={(state ?? "") as KeyStateFilter | ""}
          options={STATE_OPTIONS}
          onChange={(value) => filter({ state: value })}
        />
        <SortField sorting={sorting} />
        <CommandButton of={issue} class="is-main" />
      </search>
      <Loaded live={live} what="the keys" restart={linkTo("/keys")}>
        {(view) => (
          <List view={view} isStale={isStale} isFiltered={isFiltered} sorting={sorting} selection={selection} />
        )}
      </Loaded>
      {may(OPERATOR_ONLY) && (
        <ActionBar selection={selection} actions={KEY_ACTIONS} noun="key" onChanged={live.reload} />
      )}
      {isIssuing && (
        <IssueKey
          onClose={() => {
            setIssuing(false);
            live.reload();
          }}
        />
      )}
    </Page>
  );
}

/** 2,000 keys, 138 used this week; or, with a filter, how many match */
const subtitleOf = ({ total, matching, usedThisWeek }: KeyListView, isFiltered: boolean): string =>
  isFiltered
    ? `${grouped(matching)} of ${countOf(total, "key")}.`
    : `${countOf(total, "key")}, ${grouped(usedThisWeek)} used this week.`;

interface ListProps {
  readonly view: KeyListView;
  readonly isStale: boolean;
  readonly isFiltered: boolean;
  readonly sorting: Sorting;
  readonly selection: Selection<ListedKeyView>;
}

const List = ({ view, isStale, isFiltered, sorting, selection }: ListProps) => (
  <div>
    {!view.areBansKnown && (
      <p class="notice">
        <b>Bans and quotas are unknown.</b> Redis, which counts them, is not responding.
      </p>
    )}
    <Panel isFlush>
      {view.keys.length > 0 ? (
        <Table
          caption="Keys"
          columns={columnsFor(sorting)}
          rows={view.keys}
          keyOf={({ id }) => id}
          hrefOf={({ id }) => linkTo(`/keys/${encodeURIComponent(id)}`)}
          isStale={isStale}
          sorting={sorting}
          selection={may(OPERATOR_ONLY) ? selection : undefined}
        />
      ) : isFiltered ? (
        <Empty title="No matching keys">
          Change the search, or <a href={linkTo("/keys")}>show all {countOf(view.total, "key")}</a>.
        </Empty>
      ) : (
        <Empty title="No keys yet">
          Every API client needs one.{may(OPERATOR_ONLY) && " Issue the first with the button above."}
        </Empty>
      )}
    </Panel>
    <Pager page={view.page} pages={view.pages} hrefOf={(page) => linkWith(address.value, { page })} />
  </div>
);
