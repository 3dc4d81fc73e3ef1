import { CString, type Pointer, read } from "bun:ffi";
import { openCLibrary } from "./c-library.ts";

/** The name in the system's user database; undefined in many containers. Bun's userInfo() trusts the variable USER. */
export function userName(uid: number): string | undefined {
  try {
    const { getpwuid } = openCLibrary({ getpwuid: { args: ["u32"], returns: "ptr" } }).symbols;
    const entry = getpwuid(uid);
    // A struct passwd begins with the pointer to the name, on every system.
    return entry === null ? undefined : new CString(read.ptr(entry, 0) as Pointer).toString();
  } catch {
    return undefined;
  }
}
