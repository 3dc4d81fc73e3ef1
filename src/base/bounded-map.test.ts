import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { BoundedMap } from "./bounded-map.ts";

const anyKey = fc.constantFrom("a", "b", "c", "d", "e", "f", "g");
const anyStep = fc.oneof(
  fc.record({ kind: fc.constant("set" as const), key: anyKey, value: fc.integer({ min: 0, max: 9 }) }),
  fc.record({ kind: fc.constant("delete" as const), key: anyKey }),
  fc.record({ kind: fc.constant("clear" as const) }),
);

describe("BoundedMap", () => {
  test("holds what a Map would that gives up its first key, whatever is done with it", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), fc.array(anyStep, { maxLength: 60 }), (max, steps) => {
        const map = new BoundedMap<number>(max);
        const model = new Map<string, number>();
        for (const step of steps) {
          if (step.kind === "set") {
            map.set(step.key, step.value);
            model.delete(step.key);
            if (model.size >= max) model.delete(model.keys().next().value as string);
            model.set(step.key, step.value);
          } else if (step.kind === "delete") {
            map.delete(step.key);
            model.delete(step.key);
          } else {
            map.clear();
            model.clear();
          }
          expect(map.size).toBe(model.size);
          for (const [key, value] of model) expect(map.get(key)).toBe(value);
        }
      }),
    );
  });
});
