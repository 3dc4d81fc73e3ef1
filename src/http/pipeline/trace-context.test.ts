import { describe, expect, test } from "bun:test";
import { traceContextOf } from "./trace-context.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const SPAN = "00f067aa0ba902b7";

const contextOf = (...values: string[]) =>
  traceContextOf(new Request("http://x", { headers: values.map((value) => ["traceparent", value]) }));

test("a valid traceparent gives its ids and its flags", () => {
  expect(contextOf(`00-${TRACE}-${SPAN}-01`)).toEqual({ trace_id: TRACE, span_id: SPAN, trace_flags: "01" });
  expect(contextOf(`00-${TRACE}-${SPAN}-00`)?.trace_flags).toBe("00");
  expect(contextOf(`00-${"0".repeat(31)}1-${"0".repeat(15)}1-ff`)?.trace_flags).toBe("ff");
});

test("a later version is read as far as it is known", () => {
  const known = { trace_id: TRACE, span_id: SPAN, trace_flags: "01" };
  expect(contextOf(`01-${TRACE}-${SPAN}-01`)).toEqual(known);
  expect(contextOf(`cc-${TRACE}-${SPAN}-01-what-the-future-brings`)).toEqual(known);
});

describe("an invalid traceparent counts as absent", () => {
  for (const [why, value] of Object.entries({
    empty: "",
    "version ff": `ff-${TRACE}-${SPAN}-01`,
    "no version": `${TRACE}-${SPAN}-01`,
    "a trace id of zeros": `00-${"0".repeat(32)}-${SPAN}-01`,
    "a parent id of zeros": `00-${TRACE}-${"0".repeat(16)}-01`,
    "upper case": `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    "upper-case version": `CC-${TRACE}-${SPAN}-01`,
    "a short trace id": `00-${TRACE.slice(1)}-${SPAN}-01`,
    "a long trace id": `00-${TRACE}0-${SPAN}-01`,
    "a short parent id": `00-${TRACE}-${SPAN.slice(1)}-01`,
    "no flags": `00-${TRACE}-${SPAN}`,
    "short flags": `00-${TRACE}-${SPAN}-1`,
    "flags that are not hexadecimal": `00-${TRACE}-${SPAN}-0g`,
    "more after version 00": `00-${TRACE}-${SPAN}-01-more`,
    "more without a hyphen": `01-${TRACE}-${SPAN}-01.more`,
    "a hyphen with nothing behind it, in version 00": `00-${TRACE}-${SPAN}-01-`,
    "something before it": `x00-${TRACE}-${SPAN}-01`,
  }))
    test(why, () => expect(contextOf(value)).toBeUndefined());

  test("not sent", () => expect(contextOf()).toBeUndefined());
  test("sent twice", () => {
    expect(contextOf(`00-${TRACE}-${SPAN}-01`, `00-${TRACE}-${SPAN}-01`)).toBeUndefined();
    expect(contextOf(`01-${TRACE}-${SPAN}-01`, `01-${TRACE}-${SPAN}-01`)).toBeUndefined();
  });
});
