import { useRef } from "preact/hooks";
import type { RequestsView, RequestView } from "../../../src/console/api/index.ts";
import { now } from "../../clock.ts";
import { useCommands } from "../../commands/registry.ts";
import { Filter } from "../../components/forms/Form.tsx";
import { Panel } from "../../components/layout/Page.tsx";
import { Empty, Loaded } from "../../components/layout/states.tsx";
import { CursorPager } from "../../components/tables/CursorPager.tsx";
import type { Column } from "../../components/tables/column.ts";
import { Badge } from "../../components/tables/StateBadge.tsx";
import { Table } from "../../components/tables/Table.tsx";
import { Time } from "../../components/text.tsx";
import { measured } from "../../format/numbers.ts";
import { inputOfAddress, timeInAddress, timeOfAddress } from "../../format/periods.ts";
import { coverageText, FILTERED_STATUSES, outcomeLabel } from "../../format/requests.ts";
import { useLive } from "../../live.ts";
import { type Address, address, linkTo, linkWith, navigate, type Params, withParams } from "../../router.ts";

const COLUMNS: readonly Column<RequestView>[] = [
  { title: "When", cell: ({ atMs }) => <Time ms={atMs} as="second" /> },
  {
    title: "Request",
    cell: (request) => (
      <>
        <code class="path">
          {request.method} {request.path}
        </code>
        <div class="only-narrow">
          <Badge {...outcomeLabel(request)} />
        </div>
      </>
    ),
  },
  { title: "Outcome", isWide: true, cell: (request) => <Badge {...outcomeLabel(request)} /> },
  { title: "Message", isExtra: true, cell: ({ message }) => <span class="soft">{message}</span> },
  { title: "Took", isNumber: true, isWide: true, cell: ({ latencyMs }) => measured(latencyMs) },
];

const NO_FILTERS = { status: null, code: null, since: null, until: null, cursor: null };

/** The latest requests of a key. The filters are in the address. */
export function KeyRequests({ path, id }: { readonly path: string; readonly id: string }) {
  const here = address.value;
  const [status, code, cursor] = ["status", "code", "cursor"].map((name) => here.params.get(name) ?? "");
  const [since, until] = ["since", "until"].map((name) => timeOfAddress(here.params.get(name)));
  const live = useLive<RequestsView>(withParams(`${path}/requests`, { status, code, since, until, cursor }));
  const isFiltered = Boolean(status || code || since !== undefined || until !== undefined);
  const hrefOf = (request: RequestView) => linkTo(`/keys/${encodeURIComponent(id)}/requests/${request.id}`);
  return (
    <section class="stack" aria-label="Latest requests">
      <h2>Latest requests</h2>
      <Filters here={here} codes={live.data?.codes ?? []} />
      <Loaded live={live} what="the requests" restart={linkWith(here, NO_FILTERS)}>
        {(view) => (
          <div class="stack">
            <Panel isFlush>
              {view.items.length > 0 ? (
                <Table
                  caption="Latest requests"
                  columns={COLUMNS}
                  rows={view.items}
                  keyOf={(request) => request.id}
                  hrefOf={hrefOf}
                  isStale={live.isStale}
                />
              ) : (
                <None view={view} isFiltered={isFiltered} here={here} />
              )}
            </Panel>
            <p class="soft small">{coverageText(view, now.value)} Queries and bodies never are.</p>
            <CursorPager next={view.next} isStale={live.isStale} />
          </div>
        )}
      </Loaded>
    </section>
  );
}

function Filters({ here, codes }: { readonly here: Address; readonly codes: readonly string[] }) {
  const { params } = here;
  const filter = (changes: Params): void =>
    navigate(linkWith(here, { ...changes, cursor: null }), { isReplacing: true });
  return (
    <search class="tools">
      <Filter
        label="Status"
        all="Any status"
        value={params.get("status") ?? ""}
        options={FILTERED_STATUSES}
        onChange={(status) => filter({ status })}
      />
      <Filter
        label="Error code"
        all="Any code"
        value={params.get("code") ?? ""}
        options={codes.map((value) => ({ value, label: value }))}
        onChange={(code) => filter({ code })}
      />
      {(["since", "until"] as const).map((name) => (
        <TimeFilter
          key={name}
          label={name === "since" ? "From" : "Until"}
          value={params.get(name)}
          onChange={(time) => filter({ [name]: time })}
        />
      ))}
    </search>
  );
}

interface TimeFilterProps {
  readonly label: string;
  /** The address has it in UTC; null if there is none. */
  readonly value: string | null;
  readonly onChange: (value: string | null) => void;
}

function TimeFilter({ label, value, onChange }: TimeFilterProps) {
  const input = useRef<HTMLInputElement>(null);
  useCommands([{ title: `${label}…`, run: () => input.current?.focus(), isOnDemand: true }]);
  return (
    <label class="row small">
      {label}
      <input
        ref={input}
        type="datetime-local"
        value={inputOfAddress(value)}
        onChange={(event) => onChange(timeInAddress(event.currentTarget.value))}
      />
    </label>
  );
}

interface NoneProps {
  readonly view: RequestsView;
  readonly isFiltered: boolean;
  readonly here: Address;
}

function None({ view, isFiltered, here }: NoneProps) {
  if (isFiltered)
    return (
      <Empty title="No matching requests">
        Change the filters, or <a href={linkWith(here, NO_FILTERS)}>show all that are kept</a>.
      </Empty>
    );
  return view.keptDays === 0 ? (
    <Empty title="Requests are not kept">The setting REQUEST_LOG_DAYS is 0. They are counted all the same.</Empty>
  ) : (
    <Empty title="No requests yet">They appear here a few seconds after they were answered.</Empty>
  );
}
