import { useState } from "preact/hooks";
import { countOf } from "../../../src/base/text/text.ts";
import type { ImportWorkView } from "../../../src/console/api/index.ts";
import { WRITES_STOCK } from "../../../src/domain/console-role.ts";
import { API, call } from "../../api.ts";
import { CommandButton } from "../../commands/CommandButton.tsx";
import { useCommands } from "../../commands/registry.ts";
import { Check, SelectField } from "../../components/forms/Form.tsx";
import { Panel } from "../../components/layout/Page.tsx";
import { Progress } from "../../components/Progress.tsx";
import { orSay } from "../../components/Toasts.tsx";
import type { Column } from "../../components/tables/column.ts";
import { Badge } from "../../components/tables/StateBadge.tsx";
import { Table } from "../../components/tables/Table.tsx";
import { type ColumnChoice, columnParams, importFields, likelyColumns } from "../../format/columns.ts";
import { isOver, shareDone, workText, workTitle } from "../../format/imports.ts";
import { grouped } from "../../format/numbers.ts";
import { linkTo } from "../../router.ts";
import { may } from "../../session.ts";
import { choices, focusOnWork, goOnWith, type ImportChoices, WORK_ID } from "./upload.ts";

interface ImportWorkProps {
  readonly work: ImportWorkView;
  /** True if the instance that responded is not the one that does the work. */
  readonly isElsewhere: boolean;
  /** Called when another work has begun with the same file. */
  readonly onBegun: (work: ImportWorkView) => void;
  readonly onPutAway: () => void;
}

/** The progress and the outcome of a dry run, an import or an undo. */
export function ImportWork({ work, isElsewhere, onBegun, onPutAway }: ImportWorkProps) {
  const { name, step, rejected } = work;
  const hasEnded = isOver(work);
  const close = (hasEnded || isElsewhere) && { title: "Close this report", run: onPutAway };
  const stop = !close &&
    may(WRITES_STOCK) && {
      title: "Stop",
      run: () => void orSay(call(`/imports/${work.work}`, { method: "DELETE" })),
    };
  useCommands([close, stop]);
  return (
    <Panel>
      <div class="row is-spread">
        <div class="row">
          <h2 id={WORK_ID} tabIndex={-1}>
            <bdi>{name}</bdi>
          </h2>
          <Badge {...workTitle(work)} />
        </div>
        <CommandButton of={close}>Close</CommandButton>
        <CommandButton of={stop} />
      </div>
      {step === "refused" ? (
        <p class={work.isDryRun ? "notice next-line" : "notice is-problem next-line"} role="alert">
          {workText(work)}
        </p>
      ) : (
        <p class="next-line" role="status">
          {workText(work)} {!hasEnded && <span class="soft">You can leave this page: the work continues.</span>}
        </p>
      )}
      {!hasEnded && isElsewhere && <Elsewhere />}
      {!hasEnded && <Progress label={workTitle(work).text} share={shareDone(work)} />}
      {rejected > 0 && hasEnded && <Rejected work={work} />}
      {hasEnded && work.hasFile && may(WRITES_STOCK) && <GoOn work={work} onBegun={onBegun} />}
      {step === "done" && !work.isDryRun && !work.isUndo && (
        <p class="next-line">
          <a class="button" href={linkTo("/animals")}>
            See the animals
          </a>
        </p>
      )}
    </Panel>
  );
}

/** Polling continues, so the right instance responds sooner or later. */
const Elsewhere = () => (
  <p class="soft next-line" role="status">
    Another instance received this file and is working on it. Its progress appears whenever that instance answers, and
    the animals that it adds appear in the list of imports below.
  </p>
);

type Reject = ImportWorkView["rejects"][number];

const COLUMNS: readonly Column<Reject>[] = [
  { title: "Line", isNumber: true, cell: ({ line }) => grouped(line) },
  { title: "Reason", cell: ({ reason }) => reason },
  {
    title: "Content",
    isWide: true,
    cell: ({ text }) => (
      <code>
        <bdi class="name">{text}</bdi>
      </code>
    ),
  },
];

/** Says what a download lacks. */
const missingText = (what: string, rejected: number, left: number): string =>
  left === 0 ? "" : ` The ${what} has room for the first ${grouped(rejected - left)}: ${grouped(left)} are missing.`;

/** The first invalid lines; the report has all, and the other file the lines themselves. */
const Rejected = ({ work: { work, rejects, rejected, ...left } }: { readonly work: ImportWorkView }) => (
  <div class="rejects">
    <div class="row is-spread">
      <h3>
        {rejects.length < rejected
          ? `The first ${grouped(rejects.length)} of ${grouped(rejected)} invalid lines`
          : `${countOf(rejected, "invalid line", "invalid lines")}`}
      </h3>
      <div class="row">
        <a class="button" download href={`${API}/imports/${work}/rejected`}>
          Download the report
        </a>
        {may(WRITES_STOCK) && (
          <a class="button" download href={`${API}/imports/${work}/rejected-lines`}>
            Download the lines
          </a>
        )}
      </div>
    </div>
    <p class="soft small">
      The report has the reasons. The lines can be corrected and imported as a file of their own.
      {missingText("report", rejected, left.unreported)}
      {missingText("file of lines", rejected, left.linesLeftOut)}
    </p>
    <div class="rejects-list">
      <Table caption="Invalid lines" columns={COLUMNS} rows={rejects} keyOf={({ line }) => String(line)} />
    </div>
  </div>
);

/** Continues with the uploaded file: imports it, or repeats the dry run with other options. */
function GoOn({ work, onBegun }: Pick<ImportWorkProps, "work" | "onBegun">) {
  const [isBusy, setBusy] = useState(false);
  /** The work after which columns were chosen anew, so that its result no longer counts. */
  const [outdated, setOutdated] = useState<string | undefined>(undefined);
  const { skipInvalid, again, keepIds } = choices.value;
  const columns = work.columns.length > 0 ? work.columns : choices.value.columns;
  const map = { ...likelyColumns(columns, keepIds), ...choices.value.map };
  const choose = (change: Partial<ImportChoices>): void => {
    choices.value = { ...choices.value, ...change };
  };
  const begin = async (isDryRun: boolean): Promise<void> => {
    setBusy(true);
    choose({ columns });
    const flags = { dryRun: isDryRun, skipInvalid, again, keepIds };
    const texts = Object.fromEntries(Object.entries(flags).map(([name, value]) => [name, String(value)]));
    await orSay(goOnWith({ from: work.work, ...texts, ...columnParams(map, keepIds) }).then(onBegun));
    setBusy(false);
    focusOnWork();
  };
  const wasTried = work.step === "done" && work.isDryRun && outdated !== work.work;
  const isReady = work.rejected === 0 || skipInvalid;
  const { remedies } = work;
  const next = wasTried
    ? { title: `Import ${countOf(work.animals, "animal")}`, run: () => void begin(false) }
    : { title: "Repeat the dry run", run: () => void begin(true) };
  const isMapped =
    columns.length === 0 || importFields(keepIds).every(({ field, isNeeded }) => !isNeeded || map[field]);
  const isPossible = !isBusy && isMapped && (!wasTried || isReady);
  useCommands([isPossible && (!wasTried || work.animals > 0) && next]);
  if (wasTried && work.animals === 0 && columns.length === 0)
    return <p class="soft next-line">Correct the file and choose it again.</p>;
  return (
    <div class="go-on">
      {columns.length > 0 && (
        <ColumnFields
          columns={columns}
          map={map}
          keepIds={keepIds}
          onChange={(change) => {
            choose({ map: { ...choices.value.map, ...change } });
            setOutdated(work.work);
          }}
        />
      )}
      <div class="choices">
        {(work.rejected > 0 || skipInvalid) && (
          <Check
            label="Leave out invalid lines"
            isChecked={skipInvalid}
            onChange={(isChecked) => choose({ skipInvalid: isChecked })}
          />
        )}
        {(remedies.includes("again") || again) && (
          <Check
            label="Import again"
            hint="even though it was imported before"
            isChecked={again}
            onChange={(isChecked) => choose({ again: isChecked })}
          />
        )}
        {(remedies.includes("keepIds") || keepIds) && (
          <Check
            label="Keep ids"
            hint="from an export, into a store without animals"
            isChecked={keepIds}
            onChange={(isChecked) => choose({ keepIds: isChecked })}
          />
        )}
      </div>
      <div class="row">
        <button type="button" class={wasTried ? "is-main" : undefined} disabled={!isPossible} onClick={next.run}>
          {next.title}
        </button>
        {wasTried && work.rejected > 0 && !skipInvalid && (
          <span class="soft">Correct the file and choose it again, or leave out the invalid lines.</span>
        )}
      </div>
    </div>
  );
}

interface ColumnFieldsProps {
  readonly columns: readonly string[];
  readonly map: ColumnChoice;
  readonly keepIds: boolean;
  readonly onChange: (change: ColumnChoice) => void;
}

/** Chooses the column of each field; all other columns are left out. */
const ColumnFields = ({ columns, map, keepIds, onChange }: ColumnFieldsProps) => (
  <fieldset class="column-fields">
    <legend>Columns to read</legend>
    {importFields(keepIds).map(({ field, label, hint, isNeeded }) => (
      <SelectField
        key={field}
        label={label}
        hint={hint}
        value={map[field] ?? ""}
        options={[
          { value: "", label: isNeeded ? "Choose a column" : "None: all are available" },
          ...columns.map((column) => ({ value: column, label: column })),
        ]}
        onChange={(column) => onChange({ [field]: column })}
      />
    ))}
  </fieldset>
);
