import { signal } from "@preact/signals";
import { useLayoutEffect, useState } from "preact/hooks";
import type { ImportWorkView } from "../../../src/console/api/index.ts";
import { WRITES_STOCK } from "../../../src/domain/console-role.ts";
import { call, Failure, sendFile } from "../../api.ts";
import { say } from "../../components/Toasts.tsx";
import type { ColumnChoice } from "../../format/columns.ts";
import { quoted } from "../../format/names.ts";
import { size } from "../../format/numbers.ts";
import { address, linkTo, navigate, type Params, withParams } from "../../router.ts";
import { currentRole, may, session } from "../../session.ts";

// The upload of a file. It continues while the user visits other pages of the console.

export interface Upload {
  readonly name: string;
  readonly sentBytes: number;
  readonly totalBytes: number;
  /** The error of a failed upload; undefined while it is in progress. */
  readonly error: unknown;
  readonly stop: () => void;
}

export const IMPORT_PATH = "/animals/import";

export const upload = signal<Upload | undefined>(undefined);

export const isSending = (): boolean => upload.value !== undefined && upload.value.error === undefined;

/** The options of an import, kept from the dry run to the import. */
export interface ImportChoices {
  readonly skipInvalid: boolean;
  readonly again: boolean;
  readonly keepIds: boolean;
  /** The columns of the file, once it was refused for them. */
  readonly columns: readonly string[];
  /** The column that each field is read from. */
  readonly map: ColumnChoice;
}

/** The last known state of the work begun here. The next poll may reach an instance that does not know it. */
export const begun = signal<ImportWorkView | undefined>(undefined);

const NO_CHOICES: ImportChoices = { skipInvalid: false, again: false, keepIds: false, columns: [], map: {} };
export const choices = signal(NO_CHOICES);

export const WORK_ID = "import-work";
export const CHOICE_ID = "import-choice";

/** After a dialog has returned the focus. */
const FOCUS_AFTER_MS = 50;
const focusOn = (id: string) => (): void => void setTimeout(() => document.getElementById(id)?.focus(), FOCUS_AFTER_MS);
export const focusOnWork = focusOn(WORK_ID);
export const focusOnChoice = focusOn(CHOICE_ID);

/** Makes the browser ask before leaving, in its own words. */
const warn = (event: BeforeUnloadEvent): void => event.preventDefault();

/** Uploads a file; the server then makes a dry run. */
export async function send(file: File): Promise<void> {
  if (isSending()) return say("Another file is being uploaded. Wait for it, or stop it first.", { isProblem: true });
  const maxBytes = session.value.kind === "in" ? session.value.view.uploadMaxBytes : null;
  if (maxBytes !== null && file.size > maxBytes) return say(tooLarge(file, maxBytes), { isProblem: true });
  if (file.size === 0) return say(isEmpty(file), { isProblem: true });
  choices.value = NO_CHOICES;
  const leaving = new AbortController();
  const stop = (): void => leaving.abort(new DOMException("stopped", "AbortError"));
  const shown = { name: file.name, sentBytes: 0, totalBytes: file.size, error: undefined, stop };
  upload.value = shown;
  addEventListener("beforeunload", warn);
  try {
    const path = withParams("/imports", { name: file.name, dryRun: "true" });
    const onProgress = (sentBytes: number): void => {
      upload.value = { ...shown, sentBytes };
    };
    begun.value = await sendFile<ImportWorkView>(path, file, { signal: leaving.signal, onProgress });
    upload.value = undefined;
    if (address.value.path !== IMPORT_PATH) say(`${quoted(file.name)} was uploaded and is being checked.`);
  } catch (error) {
    upload.value = leaving.signal.aborted ? undefined : { ...shown, error };
    if (upload.value && address.value.path !== IMPORT_PATH)
      say(`${quoted(file.name)} could not be uploaded.`, { isProblem: true });
  } finally {
    removeEventListener("beforeunload", warn);
  }
}

const isEmpty = ({ name }: File): string =>
  `${quoted(name)} is empty. Choose a file with a header and a line for each animal.`;

const tooLarge = ({ name, size: bytes }: File, maxBytes: number): string =>
  `${quoted(name)} is ${size(bytes)}; the limit is ${size(maxBytes)}. Compress it with gzip, or import it on the server with: npx animal-store animals import`;

const ATTEMPTS = 4;
const RETRY_MS = 250;

/** Continues with the file of an earlier work. Retries, because a load balancer may first pick another instance. */
export async function goOnWith(params: Params): Promise<ImportWorkView> {
  for (let attempt = 1; ; attempt++)
    try {
      return await call<ImportWorkView>(withParams("/imports", params), { method: "POST" });
    } catch (error) {
      if (!(error instanceof Failure && error.code === "file_gone") || attempt === ATTEMPTS) throw error;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
}

/** The first file of a drop; undefined for a folder. */
function fileIn(data: DataTransfer | null): File | undefined {
  const [item] = data?.items ?? [];
  if (item?.webkitGetAsEntry?.()?.isDirectory) return undefined;
  return data?.files[0];
}

const hasFile = ({ dataTransfer }: DragEvent): boolean => dataTransfer?.types.includes("Files") ?? false;

/** Accepts a file dropped anywhere on the page. Returns true while one is dragged over it. */
export function useDropped(): boolean {
  const [isDragged, setDragged] = useState(false);
  // A layout effect, because a file dropped before the listeners are there would make the browser leave the console.
  useLayoutEffect(() => {
    const over = (event: DragEvent): void => {
      if (!hasFile(event)) return;
      // Without this, the browser would leave the console and open the file.
      event.preventDefault();
      setDragged(may(WRITES_STOCK));
    };
    const leave = (event: DragEvent): void => {
      if (event.relatedTarget === null) setDragged(false);
    };
    const drop = (event: DragEvent): void => {
      if (!hasFile(event)) return;
      event.preventDefault();
      setDragged(false);
      if (!may(WRITES_STOCK)) {
        say(`A ${currentRole()} cannot import files.`, { isProblem: true });
        return;
      }
      const file = fileIn(event.dataTransfer);
      if (file) void send(file);
      else say("A folder cannot be imported. Drop a CSV or NDJSON file.", { isProblem: true });
      if (file && address.value.path !== IMPORT_PATH) navigate(linkTo(IMPORT_PATH));
    };
    const listeners = { dragover: over, dragleave: leave, drop } as const;
    for (const [name, listener] of Object.entries(listeners)) addEventListener(name, listener as EventListener);
    return () => {
      for (const [name, listener] of Object.entries(listeners)) removeEventListener(name, listener as EventListener);
    };
  }, []);
  return isDragged;
}
