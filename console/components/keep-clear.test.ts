import { expect, test } from "bun:test";
import { clearPlace } from "./keep-clear.ts";

const WINDOW = { width: 1000, height: 800 };
const TOAST = { width: 300, height: 60 };
const box = (left: number, top: number, width: number, height: number) => ({
  left,
  top,
  right: left + width,
  bottom: top + height,
});

test("a toast is in the lower right corner, above or beside what is there, and covers least if it must cover something", () => {
  expect(clearPlace(TOAST, WINDOW, [])).toMatchObject({ x: 684, y: 724, covered: 0 });
  const pager = box(900, 740, 80, 34);
  const beside = clearPlace(TOAST, WINDOW, [pager]);
  expect(beside).toMatchObject({ x: 350, y: 724, covered: 0 });
  // A row of buttons over all of the width.
  expect(clearPlace(TOAST, WINDOW, [box(0, 740, 1000, 34)])).toMatchObject({ x: 684, y: 676, covered: 0 });
  const phone = { width: 320, height: 568 };
  const buttons = Array.from({ length: 20 }, (_, i) => box(0, i * 40, 320, 34));
  const { y, covered } = clearPlace({ width: 288, height: 60 }, phone, buttons);
  expect([y >= 0 && y + 60 <= 568, covered > 0]).toEqual([true, true]);
});
