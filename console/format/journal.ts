import type { JournalEntryView } from "../../src/console/api/index.ts";
import type { JournalAction } from "../../src/domain/journal.ts";
import type { Scope } from "../../src/domain/keys/scope.ts";
import { accessText, capitalized } from "./keys.ts";
import { grouped } from "./numbers.ts";

// Journal entries in words.

const VIA_LABELS: Readonly<Record<JournalEntryView["via"], string>> = {
  console: "console",
  command: "command line",
  service: "the service itself",
  key: "the key's holder",
};

/** The way in which the change was made, and the role: "clerk, console". */
export const howOf = ({ via, role }: Pick<JournalEntryView, "via" | "role">): string =>
  role === undefined ? VIA_LABELS[via] : `${role}, ${VIA_LABELS[via]}`;

const ACTIONS: Readonly<Record<string, string>> = {
  "keys create": "Issued key",
  "keys edit": "Changed key",
  "keys rotate": "Rotated key",
  "keys suspend": "Suspended key",
  "keys resume": "Resumed key",
  "keys unban": "Lifted the ban on key",
  "keys revoke": "Revoked key",
  "keys delete": "Deleted key",
  "animals add": "Added animal",
  "animals update": "Updated animal",
  "animals delete": "Deleted animal",
  "categories unname": "Removed the name of category",
  "orders update": "Updated order",
  console: "Created a console link",
  "console sign-in": "Signed in to the console",
  "console sign-out": "Signed everyone out of the console",
  restore: "Restored the store from a backup",
  "copy --animals --replace": "Replaced all animals with those of another store",
} satisfies Partial<Record<JournalAction, string>>;

/** The state of one that is shown as a whole is null. */
const IMPORT_ACTIONS: Readonly<Record<string, string>> = {
  null: "Imported",
  begun: "Started importing",
  continued: "Resumed importing",
  finished: "Imported",
};

const UNDO_ACTIONS: Readonly<Record<string, string>> = {
  begun: "Started undoing the import of",
  continued: "Resumed undoing the import of",
};

/** The action as words before its subject: "Revoked key". Unknown actions of other releases are shown as they are. */
export function actionOf({ action, before, after }: Pick<JournalEntryView, "action" | "before" | "after">): string {
  if (action === "categories name") return before ? "Renamed category" : "Named category";
  if (action === "console sign-out" && after?.for !== undefined) return "Signed out of the console";
  if (action === "animals import") return IMPORT_ACTIONS[String(after?.state)] ?? "Worked on the import of";
  if (action === "animals undo") return UNDO_ACTIONS[String(after?.state)] ?? "Undid the import of";
  return ACTIONS[action] ?? capitalized(action);
}

type Content = JournalEntryView["before"];

/** A text, or a time to be shown in the viewer's time zone. */
export type DisplayValue = string | { readonly ms: number };

export interface Change {
  readonly what: string;
  /** Undefined if the field had no value. */
  readonly before: DisplayValue | undefined;
  readonly after: DisplayValue | undefined;
}

/** Fields that the action or its time already tells. */
const SAID = new Set(["createdAt", "suspendedAt", "revokedAt", "bansLiftedAt"]);

/** Before → after of each field that differs, except for what the action already tells. */
export function changesOf({ subject, before, after, action }: JournalEntryView): readonly Change[] {
  const isNamed = (field: string): boolean => field === "name" && (!before || !after) && subject.name !== undefined;
  const isState = (field: string): boolean => field === "state" && action.startsWith("animals ");
  const isFile = (field: string): boolean => field === "source" && subject.name !== undefined;
  if (action === "animals undo" && after?.state && after.state !== "finished") return [];
  return Object.keys({ ...before, ...after })
    .filter((field) => !SAID.has(field) && !isNamed(field) && !isState(field) && !isFile(field))
    .map((field) => ({ what: fieldLabel(field), before: valueIn(before, field), after: valueIn(after, field) }))
    .filter((change) => change.before !== undefined || change.after !== undefined);
}

const FIELD_LABELS: Readonly<Record<string, string>> = {
  categoryId: "category",
  perMinute: "requests per minute",
  perDay: "requests per day",
  scopes: "access",
  expiresAt: "expires",
  source: "file",
  added: "animals added",
  removed: "animals deleted",
  kept: "animals kept",
};

/** Turns "oldSecretsWorkUntil" into "old secrets work until". */
const fieldLabel = (field: string): string =>
  FIELD_LABELS[field] ?? field.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

const ISO_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z$/;

function valueIn(content: Content, field: string): DisplayValue | undefined {
  const value = content?.[field];
  if (value === undefined || value === null) return undefined;
  if (typeof value === "number") return grouped(value);
  if (field === "plan") return capitalized(String(value));
  if (typeof value === "string") return ISO_TIME.test(value) ? { ms: Date.parse(value) } : value;
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) return field === "scopes" ? accessText(value as Scope[]) : value.join(", ");
  return JSON.stringify(value);
}
