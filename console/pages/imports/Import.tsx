import { useEffect, useRef, useState } from "preact/hooks";
import type { ConfirmedForm, ImportView, ImportWorkView } from "../../../src/console/api/index.ts";
import { WRITES_STOCK } from "../../../src/domain/console-role.ts";
import { call, sentenceOf } from "../../api.ts";
import { useCommands } from "../../commands/registry.ts";
import { Page, Panel } from "../../components/layout/Page.tsx";
import { Loaded } from "../../components/layout/states.tsx";
import { Progress } from "../../components/Progress.tsx";
import { orSay, say } from "../../components/Toasts.tsx";
import { isOver, shownWork } from "../../format/imports.ts";
import { quoted } from "../../format/names.ts";
import { percentage, size } from "../../format/numbers.ts";
import { useLive } from "../../live.ts";
import { linkTo } from "../../router.ts";
import { currentRole, may } from "../../session.ts";
import { ImportHistory } from "./ImportHistory.tsx";
import { ImportWork } from "./ImportWork.tsx";
import { begun, CHOICE_ID, focusOnChoice, isSending, send, type Upload, upload, useDropped } from "./upload.ts";

const PARENT = { title: "Animals", href: linkTo("/animals") };

const RUNNING_POLL_MS = 800;
const IDLE_POLL_MS = 5000;

/** Works that the user has closed. */
const putAway = new Set<string>();

/** Imports a file: upload, dry run, then import. A running import is shown again when the user comes back. */
export function Import() {
  const [everyMs, setEveryMs] = useState(IDLE_POLL_MS);
  const works = useLive<readonly ImportWorkView[]>("/imports/works", everyMs);
  const history = useLive<readonly ImportView[]>("/imports");
  const [, setPutAway] = useState(0);
  const isDragged = useDropped();
  const own = begun.value && !putAway.has(begun.value.work) ? begun.value : undefined;
  const { work: newest, isElsewhere } = shownWork(works.data ?? [], own);
  const work = newest && !putAway.has(newest.work) ? newest : undefined;
  const isRunning = newest !== undefined && !isOver(newest);
  const show = (next: ImportWorkView): void => {
    begun.value = next;
    works.replace([next, ...(works.data ?? [])]);
  };
  const heard = works.data?.find(({ work }) => work === own?.work);
  useEffect(() => {
    if (heard) begun.value = heard;
  }, [heard]);
  useEffect(() => {
    if (heard && isImported(heard)) offerUndo(heard, show);
  }, [heard?.work, heard?.step]);
  const sent = upload.value;
  useEffect(() => setEveryMs(isRunning ? RUNNING_POLL_MS : IDLE_POLL_MS), [isRunning]);
  // After an upload, or the end of a work, both lists may have changed.
  useEffect(() => {
    works.reload();
    history.reload();
  }, [sent === undefined, isRunning]);
  return (
    <Page
      title="Import"
      parent={PARENT}
      subtitle={
        may(WRITES_STOCK)
          ? "Every file gets a dry run first. Nothing is added until you have seen the result."
          : `A ${currentRole()} sees imports, and makes none.`
      }
    >
      {sent && <Sending upload={sent} />}
      <Loaded live={works} what="the current import">
        {() =>
          work && !sent ? (
            <ImportWork
              work={work}
              isElsewhere={isElsewhere}
              onBegun={show}
              onPutAway={() => {
                putAway.add(work.work);
                setPutAway((count) => count + 1);
                focusOnChoice();
              }}
            />
          ) : null
        }
      </Loaded>
      {may(WRITES_STOCK) && <DropZone isDragged={isDragged} isBusy={isRunning || isSending()} />}
      <ImportHistory live={history} running={isRunning ? newest : undefined} onBegun={show} />
    </Page>
  );
}

const isImported = ({ step, isDryRun, isUndo }: ImportWorkView): boolean => step === "done" && !isDryRun && !isUndo;

/** Works whose undo was offered already. */
const offered = new Set<string>();

/** Offers the undo of an import that was begun here, as long as its toast is shown; later, the list of imports has it. */
function offerUndo({ work, name, animals, importId }: ImportWorkView, onBegun: (undo: ImportWorkView) => void): void {
  if (offered.has(work) || importId === null || animals === 0) return;
  offered.add(work);
  const undo = (): void => {
    const body: ConfirmedForm = { name };
    void orSay(call<ImportWorkView>(`/imports/${importId}/undo`, { method: "POST", body }).then(onBegun));
  };
  say(`${quoted(name)} was imported.`, { undo });
}

const Sending = ({ upload: { name, sentBytes, totalBytes, error, stop } }: { readonly upload: Upload }) => (
  <Panel>
    <div class="row is-spread">
      <h2>
        <bdi>{name}</bdi>
      </h2>
      <button
        type="button"
        onClick={() => {
          stop();
          upload.value = undefined;
          focusOnChoice();
        }}
      >
        {error === undefined ? "Stop" : "Close"}
      </button>
    </div>
    {error === undefined ? (
      <>
        <p class="soft" role="status">
          Uploading. Keep the console open until the upload is complete.
        </p>
        <Progress label={`Uploading ${name}`} share={totalBytes === 0 ? undefined : sentBytes / totalBytes} />
        <p class="soft small">
          {size(sentBytes)} of {size(totalBytes)}, {percentage(sentBytes, totalBytes)}
        </p>
      </>
    ) : (
      <p class="notice is-problem" role="alert">
        <b>The upload failed.</b> {sentenceOf(error)}
      </p>
    )}
  </Panel>
);

interface DropZoneProps {
  readonly isDragged: boolean;
  readonly isBusy: boolean;
}

/** Takes a file by drag and drop, or by a button. */
function DropZone({ isDragged, isBusy }: DropZoneProps) {
  const input = useRef<HTMLInputElement>(null);
  const choose = { title: "Choose a file to import…", run: () => input.current?.click() };
  useCommands([!isBusy && choose]);
  return (
    <section class={isDragged ? "drop is-over" : "drop"} aria-label="Choose a file">
      <h2>{isDragged ? "Drop the file" : "Drop a CSV or NDJSON file here"}</h2>
      <p class="soft">
        {isBusy
          ? "One file at a time: wait for the one above to finish."
          : "It needs a name and a category for each animal, and may be compressed with gzip."}
      </p>
      <input
        ref={input}
        class="unseen"
        type="file"
        tabIndex={-1}
        aria-label="File to import"
        accept=".csv,.ndjson,.jsonl,.json,.txt,.gz"
        onChange={(event) => {
          const file = event.currentTarget.files?.[0];
          // Reset, so that the same file can be chosen again.
          event.currentTarget.value = "";
          if (file) void send(file);
        }}
      />
      <button id={CHOICE_ID} type="button" disabled={isBusy} onClick={choose.run}>
        Choose a file…
      </button>
    </section>
  );
}
