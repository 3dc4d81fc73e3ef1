import { expect, test } from "bun:test";
import { Rpc, transfer } from "./rpc.ts";

type Answering = {
  add(a: number, b: number): number;
  fail(message: string): never;
  later(ms: number): Promise<string>;
  echo(value: unknown): unknown;
  take(port: MessagePort): Promise<string>;
  give(): { port: MessagePort };
  unclonable(): object;
  note(word: string): void;
};

/** Two ends of a channel, one of which answers. */
function connect() {
  const { port1, port2 } = new MessageChannel();
  const noted: string[] = [];
  const ends: string[] = [];
  const given = new MessageChannel();
  const onEnd = (side: string) => (reason: Error) => void ends.push(`${side}: ${reason.message}`);
  new Rpc<Record<never, never>, Answering>(
    port2,
    {
      add: (a, b) => a + b,
      fail(message) {
        throw new RangeError(message);
      },
      async later(ms) {
        await Bun.sleep(ms);
        return `after ${ms}`;
      },
      echo: (value) => value,
      take: (port) =>
        new Promise((resolve) => {
          port.onmessage = ({ data }) => {
            resolve(data);
            port.close();
          };
        }),
      give: () => transfer({ port: given.port2 }, [given.port2]),
      unclonable: () => ({ method() {} }),
      note: (word) => void noted.push(word),
    },
    onEnd("answering"),
  );
  const rpc = new Rpc<Answering>(port1, {}, onEnd("calling"));
  const close = () => {
    port1.close();
    port2.close();
  };
  return { rpc, close, port2, noted, ends, given: given.port1 };
}

test("a call is answered with what the method returns, in whichever order they finish", async () => {
  const { rpc, close } = connect();
  expect(await rpc.call("add", 1, 2)).toBe(3);
  const order: string[] = [];
  await Promise.all(
    [20, 1].map(async (ms) => {
      order.push(await rpc.call("later", ms));
    }),
  );
  expect(order).toEqual(["after 1", "after 20"]);
  expect(await rpc.call("echo", { a: [1n, undefined, new Map([[1, "x"]])] })).toEqual({
    a: [1n, undefined, new Map([[1, "x"]])],
  });
  close();
});

test("an error of the method is that of the call, and harms no other", async () => {
  const { rpc, close } = connect();
  const calls = [rpc.call("fail", "too far"), rpc.call("unclonable"), rpc.call("add", 2, 2)] as const;
  const [failed, unclonable, sum] = await Promise.allSettled(calls);
  expect(failed).toMatchObject({ status: "rejected", reason: { message: "too far" } });
  expect(unclonable).toMatchObject({ status: "rejected", reason: { message: expect.stringMatching(/not be cloned/) } });
  expect(sum).toEqual({ status: "fulfilled", value: 4 });
  close();
});

test("parameters that cannot be cloned fail the call, and are thrown by a notification", async () => {
  const { rpc, close } = connect();
  await expect(rpc.call("echo", () => {})).rejects.toThrow(/not be cloned/);
  expect(() => rpc.notify("echo", () => {})).toThrow(/not be cloned/);
  expect(await rpc.call("add", 1, 1)).toBe(2);
  close();
});

test("notifications arrive in order with calls, and are not answered", async () => {
  const { rpc, close, noted } = connect();
  for (const word of ["one", "two"]) rpc.notify("note", word);
  await rpc.call("add", 0, 0);
  expect(noted).toEqual(["one", "two"]);
  close();
});

test("a port is handed over in a parameter and in a result", async () => {
  const { rpc, close, given } = connect();
  const { port1, port2 } = new MessageChannel();
  const taken = rpc.call("take", transfer(port2, [port2]));
  port1.postMessage("hello");
  expect(await taken).toBe("hello");
  port1.close();
  const { port } = await rpc.call("give");
  const heard = new Promise((resolve) => {
    given.onmessage = ({ data }) => resolve(data);
  });
  port.postMessage("back");
  expect(await heard).toBe("back");
  port.close();
  close();
});

test("when the other side closes, both are told once, and calls in progress and all later ones fail", async () => {
  const { rpc, port2, ends } = connect();
  const sum = rpc.call("add", 1, 1);
  const waiting = rpc.call("later", 10_000);
  expect(await sum).toBe(2);
  port2.close();
  await expect(waiting).rejects.toThrow("it closed");
  await expect(rpc.call("add", 1, 1)).rejects.toThrow("it closed");
  rpc.notify("note", "nobody hears this");
  rpc.end(new Error("again"));
  expect(ends.filter((end) => end.startsWith("calling"))).toEqual(["calling: it closed"]);
});
