import { Fault } from "../domain/fault.ts";
import { parseInt64 } from "../domain/int64.ts";

/** Which parameters an operation knows, and how often each may be sent. */
export type Parameters = Readonly<Record<string, number>>;

export const NO_PARAMETERS: Parameters = {};

/** The values of each parameter that was sent. */
export type Query<Known extends Parameters> = Partial<Record<keyof Known, readonly string[]>>;

/**
 * The query of a request target. A parameter that is unknown, or sent more often than it may be, is
 * a fault: to pass over it in silence would lose what the client meant.
 */
export function readQuery<Known extends Parameters>(url: string, known: Known): Query<Known> | Fault {
  const start = url.indexOf("?");
  if (start === -1) return {};
  const values: Record<string, string[]> = {};
  for (const [name, value] of new URLSearchParams(url.slice(start))) {
    const most = Object.hasOwn(known, name) ? (known[name] as number) : 0;
    if (most === 0) return wrong(`The query parameter ${quote(name)} is unknown here. ${remedy(known)}`);
    values[name] ??= [];
    if (values[name].length >= most)
      return wrong(
        `The query parameter "${name}" was sent too often. Send it ${most === 1 ? "once" : `${most} times`} at most.`,
      );
    values[name].push(value);
  }
  return values as Query<Known>;
}

/** The int64 that a parameter has, if it was sent; the fault when it is none. */
export function int64Of(values: readonly string[] | undefined, fault: Fault): bigint | undefined | Fault {
  return values === undefined ? undefined : (parseInt64(values[0] ?? "") ?? fault);
}

const wrong = (message: string): Fault => new Fault("invalid_parameter", message);

/** A fault about one parameter's value: the rest of the sentence says what it must be. */
export const wrongParameter = (name: string, remedy: string): Fault =>
  wrong(`The query parameter "${name}" must be ${remedy}.`);

function remedy(known: Parameters): string {
  const names = Object.keys(known);
  return names.length === 0 ? "Remove it: this operation has none." : `Remove it; there are ${names.join(", ")}.`;
}

const QUOTED_MAX_CHARACTERS = 60;

/** A name that came from outside, fit to stand in a message. */
export const quote = (name: string): string =>
  JSON.stringify(
    name.length > QUOTED_MAX_CHARACTERS ? `${name.slice(0, QUOTED_MAX_CHARACTERS)}…` : name.toWellFormed(),
  );
