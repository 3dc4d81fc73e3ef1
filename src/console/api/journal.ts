import type { Authorship, JournalSubject } from "../../domain/journal.ts";
import type { PageView } from "./common.ts";

export interface JournalEntryView extends Authorship {
  readonly id: string;
  readonly action: string;
  readonly subject: {
    readonly kind: JournalSubject["kind"];
    readonly id?: string;
    readonly name?: string | undefined;
  };
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
}

/** GET /console/api/journal?key=&cursor= : the newest first. */
export type JournalView = PageView<JournalEntryView>;
