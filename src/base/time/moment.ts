const MOMENT = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;

/** Reads a time as RFC 3339 has it, in milliseconds. Undefined if it is none. */
export function parseMoment(text: string): number | undefined {
  const date = MOMENT.exec(text)?.[1];
  if (date === undefined) return undefined;
  const [day, ms] = [Date.parse(date), Date.parse(text)];
  // Date.parse() takes February 30 for March 2.
  const isInCalendar = !Number.isNaN(day) && new Date(day).toISOString().startsWith(date);
  return isInCalendar && !Number.isNaN(ms) ? ms : undefined;
}
