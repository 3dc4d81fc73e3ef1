import { dlopen, type FFIFunction, type Library } from "bun:ffi";
import { OperatorError } from "../operator-error.ts";

const MUSL_PROCESSOR = process.arch === "arm64" ? "aarch64" : "x86_64";
const LIBRARIES = process.platform === "darwin" ? ["libc.dylib"] : ["libc.so.6", `libc.musl-${MUSL_PROCESSOR}.so.1`];

let library: string | undefined;

/**
 * Functions of the system's C library, for what Bun has none for. Alpine Linux and others that use musl have it under
 * another name. The one that was found is remembered: a name that is not found changes the number of the last error.
 */
export function openCLibrary<Symbols extends Record<string, FFIFunction>>(symbols: Symbols): Library<Symbols> {
  for (const name of library === undefined ? LIBRARIES : [library]) {
    try {
      const opened = dlopen(name, symbols);
      library = name;
      return opened;
    } catch {}
  }
  throw new OperatorError(
    `this system has no C library under a known name (${LIBRARIES.join(", ")}), which file locks and shared ports need: use a Linux with glibc or musl, or macOS`,
  );
}
