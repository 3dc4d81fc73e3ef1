import { useState } from "preact/hooks";
import { countOf } from "../../../src/base/text/text.ts";
import type { ConfirmedForm, ImportView, ImportWorkView } from "../../../src/console/api/index.ts";
import { WRITES_STOCK } from "../../../src/domain/console-role.ts";
import { call } from "../../api.ts";
import { type Command, useCommands } from "../../commands/registry.ts";
import { Confirm } from "../../components/dialogs/Confirm.tsx";
import { Panel } from "../../components/layout/Page.tsx";
import { Empty, Loaded } from "../../components/layout/states.tsx";
import type { Column } from "../../components/tables/column.ts";
import { Badge } from "../../components/tables/StateBadge.tsx";
import { Table } from "../../components/tables/Table.tsx";
import { Name, Time } from "../../components/text.tsx";
import { importStateLabel } from "../../format/imports.ts";
import { grouped } from "../../format/numbers.ts";
import type { Live } from "../../live.ts";
import { may } from "../../session.ts";
import { focusOnWork } from "./upload.ts";

interface ImportHistoryProps {
  readonly live: Live<readonly ImportView[]>;
  /** The running work; there is one at a time. */
  readonly running: ImportWorkView | undefined;
  readonly onBegun: (work: ImportWorkView) => void;
}

/** All imports, from the console and from the command line. */
export function ImportHistory({ live, running, onBegun }: ImportHistoryProps) {
  const [undoing, setUndoing] = useState<ImportView | undefined>(undefined);
  const undo = (each: ImportView): Command | false =>
    may(WRITES_STOCK) &&
    running === undefined &&
    each.state !== "undone" && { title: `Undo import ${each.id}…`, run: () => setUndoing(each), isOnDemand: true };
  useCommands((live.data ?? []).map(undo));
  const actions: Column<ImportView> = {
    title: "Actions",
    isNumber: true,
    cell: (each) =>
      each.state !== "undone" && (
        <button type="button" disabled={running !== undefined} onClick={() => setUndoing(each)}>
          Undo… <span class="unseen">import {each.id}</span>
        </button>
      ),
  };
  const columns: readonly Column<ImportView>[] = [
    {
      title: "File",
      cell: ({ source }) => (
        <span class="strong">
          <Name>{source}</Name>
        </span>
      ),
    },
    { title: "Import", isNumber: true, isWide: true, cell: ({ id }) => <span class="soft id">{id}</span> },
    { title: "State", cell: (each) => <Badge {...importStateLabel(each, running)} /> },
    {
      title: "Added",
      isNumber: true,
      isWide: true,
      cell: ({ added, animals }) => (added === animals ? grouped(added) : `${grouped(added)} of ${grouped(animals)}`),
    },
    { title: "Started", isNumber: true, isWide: true, cell: ({ begunAtMs }) => <Time ms={begunAtMs} /> },
    ...(may(WRITES_STOCK) ? [actions] : []),
  ];
  return (
    <Panel title="Imports" isFlush>
      <Loaded live={live} what="the imports">
        {(imports) =>
          imports.length === 0 ? (
            <Empty title="No imports yet">
              {may(WRITES_STOCK) ? "Drop a file above, or run" : "Operators and clerks can import files here, or by"}{" "}
              <code>npx animal-store animals import</code>
            </Empty>
          ) : (
            <Table caption="Imports" columns={columns} rows={imports} keyOf={({ id }) => id} />
          )
        }
      </Loaded>
      {undoing && <Undo of={undoing} onBegun={onBegun} onClose={() => setUndoing(undefined)} />}
    </Panel>
  );
}

interface UndoProps {
  readonly of: ImportView;
  readonly onBegun: (work: ImportWorkView) => void;
  readonly onClose: () => void;
}

function Undo({ of, onBegun, onClose }: UndoProps) {
  const undo = async (name: string): Promise<void> => {
    const body: ConfirmedForm = { name };
    onBegun(await call<ImportWorkView>(`/imports/${of.id}/undo`, { method: "POST", body }));
    onClose();
    focusOnWork();
  };
  return (
    <Confirm title="Undo this import?" name={of.source} submit="Delete its animals" onConfirm={undo} onClose={onClose}>
      This permanently deletes the {countOf(of.added, "animal")} that it added, even if edited since. Animals that were
      ordered are kept.
    </Confirm>
  );
}
