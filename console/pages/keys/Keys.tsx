import { useEffect, useState } from "preact/hooks";
import { countOf } from "../../../src/base/text/text.ts";
import type { KeyListView, KeyStateFilter, KeyStateView, ListedKeyView } from "../../../src/console/api/index.ts";
import { OPERATOR_ONLY } from "../../../src/domain/console-role.ts";
import { PLAN_NAMES, type Plan } from "../../../src/domain/keys/plan.ts";
import { CommandButton } from "../../commands/CommandButton.tsx";
import { useCommands } from "../../commands/registry.ts";
import { Filter, Search } from "../../components/forms/Form.tsx";
import { Page, Panel } from "../../components/layout/Page.tsx";
import { Empty, Loaded } from "../../components/layout/states.tsx";
import { Quota } from "../../components/plots/Bar.tsx";
import { announce } from "../../components/Toasts.tsx";
import type { Column } from "../../components/tables/column.ts";
import { StateBadge } from "../../components/tables/StateBadge.tsx";
import { Pager, Table } from "../../components/tables/Table.tsx";
import { Name, Time } from "../../components/text.tsx";
import { accessText, capitalized, planName } from "../../format/keys.ts";
import { grouped } from "../../format/numbers.ts";
import { useLive } from "../../live.ts";
import { address, linkTo, linkWith, navigate, withParams } from "../../router.ts";
import { may } from "../../session.ts";
import { IssueKey } from "./IssueKey.tsx";

const STATES: readonly KeyStateView[] = ["active", "banned", "suspended", "expired", "revoked"];
const STATE_OPTIONS: readonly { readonly value: KeyStateFilter; readonly label: string }[] = [
  { value: "not_revoked", label: "All but revoked" },
  ...STATES.map((value) => ({ value, label: capitalized(value) })),
];

const LastUse = ({ ms }: { readonly ms: number | null }) => (ms === null ? <>never used</> : <Time ms={ms} as="ago" />);

const COLUMNS: readonly Column<ListedKeyView>[] = [
  {
    title: "Name",
    cell: ({ id, name, isNameShared, lastUsedAtMs }) => (
      <>
        <span class="strong">
          <Name>{name}</Name>
        </span>
        {isNameShared && <span class="soft small id">{id}</span>}
        <span class="soft small only-narrow">
          <LastUse ms={lastUsedAtMs} />
        </span>
      </>
    ),
  },
  { title: "Plan", isWide: true, cell: ({ plan }) => planName(plan) },
  { title: "Access", isExtra: true, cell: ({ scopes }) => <span class="soft">{accessText(scopes)}</span> },
  { title: "State", cell: (key) => <StateBadge of={key} /> },
  {
    title: "Today",
    isWide: true,
    cell: ({ state, today }) => (state === "revoked" ? <span class="soft">–</span> : <Quota window={today} />),
  },
  {
    title: "Last used",
    isNumber: true,
    isWide: true,
    cell: ({ lastUsedAtMs }) => (
      <span class="soft">
        <LastUse ms={lastUsedAtMs} />
      </span>
    ),
  },
];

/** The list of keys. Search and filters are kept in the address. */
export function Keys() {
  const here = address.value;
  const [search, plan, state, page] = ["search", "plan", "state", "page"].map((name) => here.params.get(name) ?? "");
  const live = useLive<KeyListView>(withParams("/keys", { search, plan, state, page }));
  const [isIssuing, setIssuing] = useState(false);
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
        <CommandButton of={issue} class="is-main" />
      </search>
      <Loaded live={live} what="the keys" restart={linkTo("/keys")}>
        {(view) => <List view={view} isStale={isStale} isFiltered={isFiltered} />}
      </Loaded>
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
}

const List = ({ view, isStale, isFiltered }: ListProps) => (
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
          columns={COLUMNS}
          rows={view.keys}
          keyOf={({ id }) => id}
          hrefOf={({ id }) => linkTo(`/keys/${encodeURIComponent(id)}`)}
          isStale={isStale}
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
