import { API } from "../../api.ts";
import { Dialog } from "../../components/dialogs/Dialog.tsx";
import { type Params, withParams } from "../../router.ts";

interface ExportAnimalsProps {
  /** The filter in words: "available animals of Dogs". */
  readonly words: string;
  readonly filters: Params;
  readonly onClose: () => void;
}

const FORMATS = [
  { format: "csv", title: "CSV", note: "for spreadsheets" },
  { format: "ndjson", title: "NDJSON", note: "for programs" },
] as const;

/** Downloads all animals that match the filter. */
export const ExportAnimals = ({ words, filters, onClose }: ExportAnimalsProps) => (
  <Dialog title="Export" onClose={onClose}>
    <p>
      Downloads <b dir="auto">{words}</b> as they are when the download begins. To export others, change the filter
      first.
    </p>
    <ul class="stack">
      {FORMATS.map(({ format, title, note }) => (
        <li key={format} class="row">
          <a
            class="button"
            download
            href={withParams(`${API}/export`, { ...filters, cursor: null, format })}
            onClick={() => setTimeout(onClose)}
          >
            Download {title}
          </a>
          <span class="soft">{note}</span>
        </li>
      ))}
    </ul>
    <div class="dialog-buttons">
      <button type="button" onClick={onClose}>
        Close
      </button>
    </div>
  </Dialog>
);
