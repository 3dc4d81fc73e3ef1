import { ConsoleFault } from "../fault.ts";
import { plainTextField } from "./forms.ts";

// What cannot be undone: the name is typed first.

export const CONFIRMED_FORM = { name: plainTextField };

/** An accent may be typed in two ways, which look the same. */
export const isSameName = (typed: string, name: string): boolean =>
  typed.trim().normalize() === name.trim().normalize();

export const wrongName = (what: string, name: string): ConsoleFault =>
  new ConsoleFault(409, "name_differs", `The ${what} is named ${JSON.stringify(name)}. Type that name to continue.`, {
    field: "name",
  });
