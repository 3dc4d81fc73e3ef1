/** What one thread lets another call. What goes in and out is copied on its way. */
// biome-ignore lint/suspicious/noExplicitAny: methods of any kind; each thread knows its own
type Methods = { readonly [Name in string]: (input: any) => unknown };

type Message =
  | { readonly call: number; readonly name: string; readonly input: unknown }
  | { readonly answer: number; readonly value: unknown }
  | { readonly answer: number; readonly error: unknown };

/** A Worker, or in a worker the way out of it. */
interface Channel {
  postMessage(message: unknown, transfer?: Bun.Transferable[]): void;
  addEventListener(type: "message", listener: (event: MessageEvent<Message>) => void): void;
}

interface Call {
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

/** Calls methods of the thread at the other end of a channel, and lets it call ours. */
export class Calls<Remote extends Methods> {
  readonly #calls = new Map<number, Call>();
  #count = 0;
  #ended: Error | undefined;

  constructor(
    private readonly channel: Channel,
    own: Methods,
  ) {
    channel.addEventListener("message", ({ data }) => {
      if ("call" in data) void this.#answer(own, data.call, data.name, data.input);
      else this.#settle(data);
    });
  }

  call<Name extends keyof Remote & string>(
    name: Name,
    input: Parameters<Remote[Name]>[0],
    transfer: Bun.Transferable[] = [],
  ): Promise<Awaited<ReturnType<Remote[Name]>>> {
    if (this.#ended) return Promise.reject(this.#ended);
    const { promise, resolve, reject } = Promise.withResolvers<Awaited<ReturnType<Remote[Name]>>>();
    const id = this.#count++;
    try {
      this.channel.postMessage({ call: id, name, input } satisfies Message, transfer);
      this.#calls.set(id, { resolve: resolve as Call["resolve"], reject });
    } catch (error) {
      reject(error);
    }
    return promise;
  }

  /** The other thread is gone: nothing is answered any more. */
  end(error: Error): void {
    this.#ended = error;
    for (const { reject } of this.#calls.values()) reject(error);
    this.#calls.clear();
  }

  async #answer(own: Methods, id: number, name: string, input: unknown): Promise<void> {
    try {
      this.channel.postMessage({ answer: id, value: await own[name]?.(input) } satisfies Message);
    } catch (error) {
      this.#answerFailed(id, error as Error);
    }
  }

  #answerFailed(id: number, { message }: Error): void {
    try {
      // Only its message: not every error can be sent.
      this.channel.postMessage({ answer: id, error: new Error(message) } satisfies Message);
    } catch {
      // The other thread is gone, and nobody waits for it.
    }
  }

  #settle(message: Exclude<Message, { call: number }>): void {
    const call = this.#calls.get(message.answer);
    this.#calls.delete(message.answer);
    if ("error" in message) call?.reject(message.error);
    else call?.resolve(message.value as never);
  }
}
