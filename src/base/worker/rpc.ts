import type { Awaitable } from "../time/awaitable.ts";
import { atEndOfTurn } from "../time/turn.ts";

// Thread RPC, in the terms of JSON-RPC: requests with replies, and notifications without. Both sides may send both.
// Parameters and results are cloned on their way, and transfer() names what is handed over instead.

/** The methods that one side offers to the other. */
// biome-ignore lint/suspicious/noExplicitAny: parameters of any kind; each protocol declares its own
export type Methods = { readonly [Method in string]: (...params: any) => unknown };

/** Implementations of the methods of a protocol. */
export type Handlers<Own extends Methods> = {
  readonly [Method in keyof Own]: (...params: Parameters<Own[Method]>) => Awaitable<Result<Own, Method>>;
};

type Result<Remote extends Methods, Method extends keyof Remote> = Awaited<ReturnType<Remote[Method]>>;

type Message =
  | { readonly id: number | undefined; readonly method: string; readonly params: readonly unknown[] }
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: string };

/** A Worker, a MessagePort, or `self` in a worker. */
export interface Channel {
  postMessage(message: unknown, transfer: Bun.Transferable[]): void;
  addEventListener(type: "message" | "close", listener: (event: unknown) => void): void;
  /** Only a MessagePort has to be started. */
  start?(): void;
}

interface Pending {
  readonly resolve: (result: never) => void;
  readonly reject: (error: Error) => void;
}

const transfers = new WeakMap<object, Bun.Transferable[]>();

/** Marks a parameter or a result, so that these of its parts are handed over to the other thread when it is sent. */
export function transfer<Value extends object>(value: Value, parts: Bun.Transferable[]): Value {
  transfers.set(value, parts);
  return value;
}

/** One end of a channel between two threads. */
export class Rpc<Remote extends Methods, Own extends Methods = Record<never, never>> {
  readonly #pending = new Map<number, Pending>();
  #lastId = 0;
  #ended: Error | undefined;

  constructor(
    private readonly channel: Channel,
    private readonly handlers: Handlers<Own>,
    /** Called once, with the reason, when the other side is gone. */
    private readonly onEnd: (reason: Error) => void = () => {},
  ) {
    channel.addEventListener("message", (event) => this.#receive((event as MessageEvent<Message>).data));
    // Messages that were sent before may still be on their way.
    channel.addEventListener("close", () => atEndOfTurn(() => this.end(new Error("it closed"))));
    channel.start?.();
  }

  /** Rejects with the message of what the method throws, or when the other side is gone. */
  call<Method extends keyof Remote & string>(
    method: Method,
    ...params: Parameters<Remote[Method]>
  ): Promise<Result<Remote, Method>> {
    if (this.#ended) return Promise.reject(this.#ended);
    const { promise, resolve, reject } = Promise.withResolvers<Result<Remote, Method>>();
    const id = ++this.#lastId;
    try {
      this.#post({ id, method, params }, params);
      this.#pending.set(id, { resolve, reject });
    } catch (error) {
      reject(error);
    }
    return promise;
  }

  /** Calls a method without a reply: what it throws is uncaught in the other thread. Throws what cannot be cloned. */
  notify<Method extends keyof Remote & string>(method: Method, ...params: Parameters<Remote[Method]>): void {
    if (!this.#ended) this.#post({ id: undefined, method, params }, params);
  }

  /** The other side is gone: calls in progress and later ones fail with this reason. */
  end(reason: Error): void {
    if (this.#ended) return;
    this.#ended = reason;
    for (const { reject } of this.#pending.values()) reject(reason);
    this.#pending.clear();
    this.onEnd(reason);
  }

  #receive(message: Message): void {
    if (!("method" in message)) this.#settle(message);
    else if (message.id === undefined) void this.#handle(message.method, message.params);
    else void this.#reply(message.id, message.method, message.params);
  }

  #handle(method: string, params: readonly unknown[]): unknown {
    return (this.handlers as Methods)[method]?.(...params);
  }

  async #reply(id: number, method: string, params: readonly unknown[]): Promise<void> {
    try {
      const result = await this.#handle(method, params);
      this.#post({ id, result }, [result]);
    } catch (error) {
      // Only its message: not every error can be cloned.
      this.#post({ id, error: (error as Error).message }, []);
    }
  }

  #settle(message: Exclude<Message, { method: string }>): void {
    const pending = this.#pending.get(message.id);
    this.#pending.delete(message.id);
    if ("error" in message) pending?.reject(new Error(message.error));
    else pending?.resolve(message.result as never);
  }

  #post(message: Message, values: readonly unknown[]): void {
    this.channel.postMessage(
      message,
      values.flatMap((value) => (value instanceof Object && transfers.get(value)) || []),
    );
  }
}
