import type { JournalEntryView, JournalView } from "../../src/console/api/index.ts";
import { READS_KEYS } from "../../src/domain/console-role.ts";
import { joinedImports } from "../../src/domain/joined-imports.ts";
import { CommandButton } from "../commands/CommandButton.tsx";
import { goingTo, useCommands } from "../commands/registry.ts";
import { Page, Panel } from "../components/layout/Page.tsx";
import { Empty, Loaded } from "../components/layout/states.tsx";
import { CursorPager } from "../components/tables/CursorPager.tsx";
import type { Column } from "../components/tables/column.ts";
import { Table } from "../components/tables/Table.tsx";
import { Name, Time } from "../components/text.tsx";
import { actionOf, type Change, changesOf, type DisplayValue, howOf } from "../format/journal.ts";
import { useLive } from "../live.ts";
import { address, linkTo, withParams } from "../router.ts";
import { may } from "../session.ts";

const COLUMNS: readonly Column<JournalEntryView>[] = [
  { title: "When", cell: ({ atMs }) => <Time ms={atMs} /> },
  {
    title: "Who",
    isWide: true,
    cell: (entry) => (
      <>
        <Name>{entry.by}</Name>
        <span class="soft small">{howOf(entry)}</span>
      </>
    ),
  },
  { title: "What", cell: (entry) => <What entry={entry} /> },
  { title: "Before → after", isWide: true, cell: (entry) => <Changes changes={changesOf(entry)} /> },
];

/** The audit log, newest first. */
export function Journal() {
  const { params } = address.value;
  const [key, cursor] = ["key", "cursor"].map((name) => params.get(name) ?? "");
  const live = useLive<JournalView>(withParams("/journal", { key, cursor }));
  const keyName = live.data?.items.find(({ subject }) => subject.kind === "key" && subject.id === key)?.subject.name;
  const everything = key !== "" && goingTo("Show everything", linkTo("/journal"));
  useCommands([everything]);
  return (
    <Page title="Journal" subtitle="Every change made in the console or on the command line, and every sign-in.">
      {key && (
        <p class="row">
          <span>
            Showing only the key{" "}
            {may(READS_KEYS) ? (
              <a href={linkTo(`/keys/${encodeURIComponent(key)}`)}>
                <bdi>{keyName ?? key}</bdi>
              </a>
            ) : (
              <bdi>{keyName ?? key}</bdi>
            )}
            .
          </span>
          <CommandButton of={everything} class="" />
        </p>
      )}
      <Loaded live={live} what="the journal" restart={linkTo("/journal", { key })}>
        {(view) => (
          <div>
            <Panel isFlush>
              {view.items.length > 0 ? (
                <div class="journal">
                  <Table
                    caption="Journal"
                    columns={COLUMNS}
                    rows={joinedImports(view.items.toReversed()).toReversed()}
                    keyOf={({ id }) => id}
                    isStale={live.isStale}
                  />
                </div>
              ) : (
                <Empty title="No entries yet">
                  {key ? (
                    <CommandButton of={everything} class="" />
                  ) : (
                    "Changes made in the console or on the command line appear here. API requests do not."
                  )}
                </Empty>
              )}
            </Panel>
            <CursorPager next={view.next} isStale={live.isStale} />
          </div>
        )}
      </Loaded>
    </Page>
  );
}

/** The page of the entry's subject, if it may still exist. */
function hrefOf({ subject: { kind, id = "" }, action }: JournalEntryView): string | undefined {
  if (action === "keys delete" || action === "animals delete") return undefined;
  switch (kind) {
    case "key":
      return may(READS_KEYS) ? linkTo(`/keys/${encodeURIComponent(id)}`) : undefined;
    case "animal":
      return linkTo(`/animals/${id}`);
    case "category":
      return linkTo("/animals", { categoryId: id });
    case "order":
      return linkTo(`/orders/${id}`);
    case "import":
      return linkTo("/animals/import");
    case "store":
      return undefined;
  }
}

/** The action and its subject: "Revoked key Storefront". */
function What({ entry }: { readonly entry: JournalEntryView }) {
  const { kind, id, name } = entry.subject;
  const href = hrefOf(entry);
  const text = name ?? (kind === "import" ? `import ${id}` : (id ?? ""));
  const words = <bdi title={text.length > 40 ? text : undefined}>{text}</bdi>;
  return (
    <>
      <span class="action">
        {actionOf(entry)} {href === undefined ? <b>{words}</b> : <a href={href}>{words}</a>}
      </span>
      <div class="only-narrow small">
        <Changes changes={changesOf(entry)} />
        <p class="soft">
          <bdi>{entry.by}</bdi>, {howOf(entry)}
        </p>
      </div>
    </>
  );
}

const Changes = ({ changes }: { readonly changes: readonly Change[] }) => (
  <ul class={changes.every(({ before }) => before === undefined) ? "changes is-new" : "changes"}>
    {changes.map(({ what, before, after }) => (
      <li key={what}>
        <span class="soft">{what}</span> {before !== undefined && <Value value={before} />}
        {before !== undefined && (
          <>
            <span class="soft" aria-hidden="true">
              {" → "}
            </span>
            <span class="unseen"> became </span>
          </>
        )}
        {after === undefined ? before !== undefined && <span class="soft">none</span> : <Value value={after} />}{" "}
      </li>
    ))}
  </ul>
);

const Value = ({ value }: { readonly value: DisplayValue }) =>
  typeof value === "string" ? <bdi>{value}</bdi> : <Time ms={value.ms} />;
