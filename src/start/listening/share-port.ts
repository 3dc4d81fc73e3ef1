import { ptr } from "bun:ffi";
import { readdirSync } from "node:fs";
import { openCLibrary } from "../../base/system/c-library.ts";

const SOL_SOCKET = 1;
const SO_REUSEPORT = 15;
const SO_ACCEPTCONN = 30;
const ADDRESS_BYTES = 128;

/**
 * Lets other sockets of this user listen on a port that this process listens on already: from then on the kernel
 * divides new connections among them. Shared from the beginning, a port that another process uses would look free.
 * Returns whether it could be done, which is on Linux only.
 */
export function sharePort(port: number): boolean {
  if (process.platform !== "linux") return false;
  const { setsockopt, getsockopt, getsockname } = openCLibrary({
    setsockopt: { args: ["i32", "i32", "i32", "ptr", "u32"], returns: "i32" },
    getsockopt: { args: ["i32", "i32", "i32", "ptr", "ptr"], returns: "i32" },
    getsockname: { args: ["i32", "ptr", "ptr"], returns: "i32" },
  }).symbols;

  function isListening(descriptor: number): boolean {
    const value = new Int32Array(1);
    const length = new Uint32Array([value.byteLength]);
    return getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, ptr(value), ptr(length)) === 0 && value[0] === 1;
  }

  /** In IPv4 and in IPv6 addresses, the port is in the third and fourth byte. */
  function portOf(descriptor: number): number | undefined {
    const address = Buffer.alloc(ADDRESS_BYTES);
    const length = new Uint32Array([ADDRESS_BYTES]);
    return getsockname(descriptor, ptr(address), ptr(length)) === 0 ? address.readUInt16BE(2) : undefined;
  }

  const descriptor = openDescriptors().find((each) => isListening(each) && portOf(each) === port);
  const isOn = new Int32Array([1]);
  return descriptor !== undefined && setsockopt(descriptor, SOL_SOCKET, SO_REUSEPORT, ptr(isOn), isOn.byteLength) === 0;
}

const openDescriptors = (): number[] => readdirSync("/proc/self/fd").map(Number);
