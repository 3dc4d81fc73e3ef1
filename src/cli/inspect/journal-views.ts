import { harmless } from "../../base/text/text.ts";
import type { JournalContent, JournalEntry, JournalSubject } from "../../domain/journal.ts";
import { SCOPES } from "../../domain/keys/scope.ts";
import { formatNumber, formatTime } from "../terminal/print.ts";

// Entries of the journal: a line for people, an object for scripts.

export const jsonOfEntry = ({ id, atMs, by, via, role, action, subject, before, after }: JournalEntry) => ({
  id: Number(id),
  at: new Date(atMs).toISOString(),
  by,
  via,
  role: role ?? null,
  action,
  subject,
  before: before ?? null,
  after: after ?? null,
});

export const lineOfEntry = (entry: JournalEntry): string =>
  [formatTime(entry.atMs), whoOf(entry), `${entry.action} ${nameOf(entry.subject)}`, changesOf(entry)]
    .map((part) => harmless(part).trim())
    .filter((part) => part !== "")
    .join("  ");

/** A key is named as any person might be: only the word tells it from one. */
function whoOf({ by, via, role }: JournalEntry): string {
  if (via === "key") return `the key ${by}`;
  return role === undefined ? by : `${by} (${role})`;
}

function nameOf(subject: JournalSubject): string {
  if (subject.kind === "store") return "";
  return subject.name === undefined ? subject.id : `${subject.id} (${subject.name})`;
}

/** The fields that differ, before and after. Of a subject that is new or gone, facts already in the line are left out. */
function changesOf({ atMs, subject, before, after }: JournalEntry): string {
  const said: JournalContent = {
    createdAt: new Date(atMs).toISOString(),
    name: ("name" in subject && subject.name) || null,
  };
  const isSaid = (name: string, value: Value): boolean => (!before || !after) && isThere(value) && said[name] === value;
  return Object.keys({ ...before, ...after })
    .map((name) => [name, [before?.[name], after?.[name]].filter(isThere)] as const)
    .filter(([name, values]) => values.length > 0 && !values.some((value) => isSaid(name, value)))
    .map(([name, values]) => {
      const texts = values.map((value) => (name === "scopes" ? scopesText(value) : textOf(value)));
      // A removed value needs the arrow: without it, the value would look as if it were still there.
      if (before && after && !isThere(after[name])) texts.push("none");
      return `${wordsOf(name)} ${texts.join(" → ")}`;
    })
    .join(", ");
}

type Value = JournalContent[string];

const isThere = (value: Value | undefined): value is NonNullable<Value> => value !== undefined && value !== null;

/** "expiresAt" becomes "expires at". */
const wordsOf = (name: string): string => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** In the syntax of --scopes. */
const scopesText = (value: NonNullable<Value>): string =>
  Array.isArray(value) && value.length === SCOPES.length ? "all" : textOf(value);

const ISO_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

function textOf(value: NonNullable<Value>): string {
  if (typeof value === "number") return formatNumber(value);
  if (typeof value === "string") return ISO_TIME.test(value) ? formatTime(Date.parse(value)) : value;
  return Array.isArray(value) ? value.join(" ") : String(value);
}
