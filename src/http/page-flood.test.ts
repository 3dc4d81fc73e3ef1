import { expect, test } from "bun:test";
import { FakeClock } from "../../test/harness/clock.ts";
import { PageFlood } from "./page-flood.ts";

test("the first hundred responses in a tenth of a second leave the connection open, and the rest end it", () => {
  const clock = new FakeClock();
  const flood = new PageFlood(() => clock.nowMs());
  const isLast = () => flood.bound(new Response()).headers.get("connection") === "close";
  const many = () => Array.from({ length: 150 }, isLast).indexOf(true);
  expect(many()).toBe(100);
  clock.advance(99);
  expect(isLast()).toBe(true);
  clock.advance(1);
  expect(many()).toBe(100);
});
