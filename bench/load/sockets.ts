// Sockets of the C library, and a wait that ends at a given moment. Timers of Bun's event loop have a resolution of a
// millisecond, about the latencies to be measured: with them, half of all requests were sent 0.2 to 0.5 ms late. The CPU
// time of a request is about the same.

import { FFIType, type Pointer, ptr } from "bun:ffi";
import { openCLibrary } from "../../src/base/system/c-library.ts";

// Values of Linux.
const AF_INET = 2;
const SOCK_STREAM = 1;
const IPPROTO_TCP = 6;
const TCP_NODELAY = 1;
const MSG_DONTWAIT = 0x40;
const MSG_NOSIGNAL = 0x4000;
const EPOLL_CTL_ADD = 1;
const EPOLLIN = 1;
const PR_SET_TIMERSLACK = 29;

/** The kernel's struct epoll_event has no padding on x86-64, and only there. */
const EVENT_BYTES = process.arch === "x64" ? 12 : 16;
const SOCKET_OFFSET = EVENT_BYTES - 8;
const EVENTS_MAX = 64;
const RECEIVE_BYTES = 256 * 1024;

const { symbols: c } = openCLibrary({
  socket: { args: ["i32", "i32", "i32"], returns: "i32" },
  connect: { args: ["i32", "ptr", "i32"], returns: "i32" },
  setsockopt: { args: ["i32", "i32", "i32", "ptr", "i32"], returns: "i32" },
  send: { args: ["i32", "ptr", "u64", "i32"], returns: FFIType.i64_fast },
  recv: { args: ["i32", "ptr", "u64", "i32"], returns: FFIType.i64_fast },
  close: { args: ["i32"], returns: "i32" },
  epoll_create1: { args: ["i32"], returns: "i32" },
  epoll_ctl: { args: ["i32", "i32", "i32", "ptr"], returns: "i32" },
  epoll_pwait2: { args: ["i32", "ptr", "i32", "ptr", "ptr"], returns: "i32" },
  prctl: { args: ["i32", "u64", "u64", "u64", "u64"], returns: "i32" },
});

/** Connections to one address, each known by its descriptor. Nothing waits except `ready`. */
export class Sockets {
  /** The bytes of the latest call of `receive`. */
  readonly received = Buffer.alloc(RECEIVE_BYTES);
  readonly #receivedAt = ptr(this.received);
  readonly #outgoingAt: Pointer;
  readonly #address = Buffer.alloc(16);
  readonly #epoll = c.epoll_create1(0);
  readonly #events = Buffer.alloc(EVENTS_MAX * EVENT_BYTES);
  readonly #eventsAt = ptr(this.#events);
  /** Seconds and nanoseconds, of 64 bits each. */
  readonly #time = new Uint32Array(4);
  readonly #timeAt = ptr(this.#time);

  /** All requests are parts of `outgoing`. The field keeps its memory from being reused, which a pointer alone does not. */
  constructor(
    origin: string,
    private readonly outgoing: Buffer,
  ) {
    this.#outgoingAt = ptr(this.outgoing);
    const { hostname, port } = new URL(origin);
    this.#address.writeUInt16LE(AF_INET);
    this.#address.writeUInt16BE(Number(port), 2);
    this.#address.set(hostname.split(".").map(Number), 4);
    // Otherwise the kernel may end a wait 50 µs late, to save energy.
    c.prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
  }

  open(): number {
    const socket = c.socket(AF_INET, SOCK_STREAM, 0);
    if (c.connect(socket, ptr(this.#address), this.#address.length) !== 0) throw new Error("could not connect");
    const one = new Int32Array([1]);
    c.setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, ptr(one), 4);
    const event = Buffer.alloc(EVENT_BYTES);
    event.writeUInt32LE(EPOLLIN);
    event.writeInt32LE(socket, SOCKET_OFFSET);
    c.epoll_ctl(this.#epoll, EPOLL_CTL_ADD, socket, ptr(event));
    return socket;
  }

  close(socket: number): void {
    c.close(socket);
  }

  /** True if all of it was taken, which is so for a request that fits the socket's buffer. */
  send(socket: number, from: number, to: number): boolean {
    const at = (this.#outgoingAt + from) as Pointer;
    return Number(c.send(socket, at, to - from, MSG_DONTWAIT | MSG_NOSIGNAL)) === to - from;
  }

  /** The number of bytes that were received: 0 at the end of the connection, negative after a failure. */
  receive(socket: number): number {
    return Number(c.recv(socket, this.#receivedAt, RECEIVE_BYTES, MSG_DONTWAIT));
  }

  /** Waits until something has arrived, or for a time, and returns how many sockets have something. */
  ready(waitMs: number): number {
    const nanos = Math.max(0, Math.round(waitMs * 1e6));
    this.#time[0] = Math.floor(nanos / 1e9);
    this.#time[2] = nanos % 1e9;
    return c.epoll_pwait2(this.#epoll, this.#eventsAt, EVENTS_MAX, this.#timeAt, null);
  }

  /** One of those that were ready. */
  readySocket(index: number): number {
    return this.#events.readInt32LE(index * EVENT_BYTES + SOCKET_OFFSET);
  }
}
