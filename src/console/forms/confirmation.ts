import { ConsoleFault } from "../fault.ts";
import { plainTextField } from "./forms.ts";

// An action that cannot be undone is confirmed by typing a name.

export const CONFIRMED_FORM = { name: plainTextField };

/** Compares normalized: an accent can be typed in two ways that look the same. */
export const isSameName = (typed: string, name: string): boolean =>
  typed.trim().normalize() === name.trim().normalize();

export const wrongName = (what: string, name: string): ConsoleFault =>
  new ConsoleFault(409, "name_differs", `The ${what} is named ${JSON.stringify(name)}. Type that name to continue.`, {
    field: "name",
  });
