import { expect, test } from "bun:test";
import { Calls } from "./calls.ts";

type Answering = {
  add(pair: readonly [number, number]): number;
  fail(message: string): never;
  later(ms: number): Promise<string>;
  echo(value: unknown): unknown;
  take(port: MessagePort): Promise<string>;
};

/** As a Worker has it. */
function channelOf(port: MessagePort): ConstructorParameters<typeof Calls>[0] {
  port.start();
  return {
    postMessage: (message, transfer = []) => port.postMessage(message, transfer),
    addEventListener: (type, listener) => port.addEventListener(type, (event) => listener(event as MessageEvent)),
  };
}

/** Two ends of a channel, one of which answers. */
function connect() {
  const { port1, port2 } = new MessageChannel();
  new Calls(channelOf(port2), {
    add: ([a, b]: readonly [number, number]) => a + b,
    fail(message: string) {
      throw new RangeError(message);
    },
    async later(ms: number) {
      await Bun.sleep(ms);
      return `after ${ms}`;
    },
    echo: (value: unknown) => value,
    take: (port: MessagePort) =>
      new Promise((resolve) => {
        port.onmessage = ({ data }) => {
          resolve(data);
          port.close();
        };
      }),
  });
  const calls = new Calls<Answering>(channelOf(port1), {});
  const close = () => {
    port1.close();
    port2.close();
  };
  return { calls, close };
}

test("a call is answered with what the method returns, in whichever order they finish", async () => {
  const { calls, close } = connect();
  expect(await calls.call("add", [1, 2])).toBe(3);
  const order: string[] = [];
  await Promise.all(
    [20, 1].map(async (ms) => {
      order.push(await calls.call("later", ms));
    }),
  );
  expect(order).toEqual(["after 1", "after 20"]);
  expect(await calls.call("echo", { a: [1n, undefined, new Map([[1, "x"]])] })).toEqual({
    a: [1n, undefined, new Map([[1, "x"]])],
  });
  close();
});

test("an error of the method is that of the call, and harms no other", async () => {
  const { calls, close } = connect();
  const failed = calls.call("fail", "too far");
  const sum = calls.call("add", [2, 2]);
  await expect(failed).rejects.toThrow("too far");
  expect(await sum).toBe(4);
  close();
});

test("what is handed over belongs to the other thread", async () => {
  const { calls, close } = connect();
  const { port1, port2 } = new MessageChannel();
  const taken = calls.call("take", port2, [port2]);
  port1.postMessage("hello");
  expect(await taken).toBe("hello");
  port1.close();
  close();
});

test("when the other thread is gone, calls in progress and all later ones fail", async () => {
  const { calls, close } = connect();
  const waiting = calls.call("later", 10_000);
  calls.end(new Error("it is gone"));
  await expect(waiting).rejects.toThrow("it is gone");
  await expect(calls.call("add", [1, 1])).rejects.toThrow("it is gone");
  close();
});
