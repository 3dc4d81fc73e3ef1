import { Fault } from "../domain/fault.ts";
import { quote } from "./body.ts";

/**
 * The query parameters of a request target, each of the given names at most once. Anything else is
 * a fault: to pass over it in silence would lose what the client meant.
 */
export function readQuery<Name extends string>(
  url: string,
  names: readonly Name[],
): Partial<Record<Name, string>> | Fault {
  const start = url.indexOf("?");
  const values: Partial<Record<Name, string>> = {};
  if (start === -1) return values;
  for (const [name, value] of new URLSearchParams(url.slice(start))) {
    if (!isOneOf(names, name))
      return new Fault("invalid_parameter", `The query parameter ${quote(name)} is unknown here. ${remedy(names)}`);
    if (Object.hasOwn(values, name))
      return new Fault("invalid_parameter", `The query parameter "${name}" was sent more than once. Send it once.`);
    values[name] = value;
  }
  return values;
}

const isOneOf = <Name extends string>(names: readonly Name[], text: string): text is Name =>
  (names as readonly string[]).includes(text);

const remedy = (names: readonly string[]): string =>
  names.length === 0 ? "Remove it: this operation has none." : `Remove it; there are ${names.join(", ")}.`;
