import { dlopen, type FFIFunction, type Library } from "bun:ffi";
import { OperatorError } from "../operator-error.ts";

const MUSL_PROCESSOR = process.arch === "arm64" ? "aarch64" : "x86_64";
const LIBRARIES = process.platform === "darwin" ? ["libc.dylib"] : ["libc.so.6", `libc.musl-${MUSL_PROCESSOR}.so.1`];
const NOT_FOUND = "ERR_DLOPEN_FAILED";

let library: string | undefined;

/**
 * Opens functions of the system's C library that Bun has no equivalent for. With musl (Alpine Linux) it has another
 * name. The name that works is kept: trying one that does not changes errno.
 */
export function openCLibrary<Symbols extends Record<string, FFIFunction>>(symbols: Symbols): Library<Symbols> {
  for (const name of library === undefined ? LIBRARIES : [library]) {
    try {
      const opened = dlopen(name, symbols);
      library = name;
      return opened;
    } catch (error) {
      const { code, message } = error as { code?: string; message: string };
      if (code === NOT_FOUND) continue;
      throw new OperatorError(
        `cannot call the system's C library, which file locks and shared ports need: ${message}. Its compiler needs much address space, though little memory: set no limit for it (ulimit -v; LimitAS for systemd)`,
      );
    }
  }
  throw new OperatorError(
    `this system has no C library under a known name (${LIBRARIES.join(", ")}), which file locks and shared ports need: use a Linux with glibc or musl, or macOS`,
  );
}
