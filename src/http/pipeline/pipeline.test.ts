import { expect, test } from "bun:test";
import type { Awaitable } from "../../base/time/awaitable.ts";
import { type Exchange, Pipeline } from "./pipeline.ts";

const EXCHANGE: Exchange = { request: new Request("http://localhost/"), requestId: "r1", startedAtMs: 0, address: "a" };

type Text = Awaitable<string>;

/** Steps whose response tells what each of them was given. */
const stepsWith = (
  admit: () => Text,
  carryOut: (admission: string) => Text,
  respond = (admission: string, outcome: string): Awaitable<Response> => new Response(`${admission}, ${outcome}`),
) =>
  new (class extends Pipeline<Exchange, string, string, string> {
    admit = admit;
    carryOut = (_: Exchange, admission: string) => carryOut(admission);
    malfunction = (_: Exchange, error: unknown) => `failed: ${(error as Error).message}`;
    admitUnidentified = async () => "unidentified";
    respond = (_: Exchange, admission: string, outcome: string) => respond(admission, outcome);
  })();

const fail = (message: string) => (): never => {
  throw new Error(message);
};
const at: Record<string, (step: () => string) => () => Text> = {
  once: (step) => step,
  later: (step) => async () => step(),
};

for (const [when, make] of Object.entries(at)) {
  const textOf = async (admit: () => string, carryOut: () => string) =>
    (await stepsWith(make(admit), make(carryOut)).answer(EXCHANGE)).text();

  test(`what a step returns at ${when} flows down to the next`, async () => {
    expect(
      await textOf(
        () => "anna",
        () => "done",
      ),
    ).toBe("anna, done");
  });

  test(`a step that fails at ${when} is answered, with the admission as far as it is known`, async () => {
    expect(await textOf(() => "anna", fail("no disk"))).toBe("anna, failed: no disk");
    expect(await textOf(fail("no keys"), () => "done")).toBe("unidentified, failed: no keys");
  });

  test(`a response that fails after a step that ended at ${when} is made again, of the failure`, async () => {
    let tries = 0;
    const respond = (admission: string, outcome: string) =>
      tries++ === 0 ? fail("bad header")() : new Response(`${admission}, ${outcome}`);
    const steps = stepsWith(
      make(() => "anna"),
      make(() => "done"),
      respond,
    );
    expect(await (await steps.answer(EXCHANGE)).text()).toBe("anna, failed: bad header");
    expect(tries).toBe(2);
  });
}

test("a response that needs nothing slow is there at once", () => {
  expect(
    stepsWith(
      () => "anna",
      () => "done",
    ).answer(EXCHANGE),
  ).toBeInstanceOf(Response);
});
