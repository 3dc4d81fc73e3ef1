import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { BoundedMap } from "./bounded-map.ts";

const anyKey = fc.constantFrom("a", "b", "c", "d", "e", "f", "g");
const anyStep = fc.oneof(
  fc.record({ kind: fc.constant("set" as const), key: anyKey, value: fc.integer({ min: 0, max: 9 }) }),
  fc.record({ kind: fc.constant("delete" as const), key: anyKey }),
  fc.record({ kind: fc.constant("sweep" as const), entries: fc.integer({ min: 0, max: 4 }) }),
  fc.record({ kind: fc.constant("clear" as const) }),
);

const isOdd = (value: number): boolean => value % 2 === 1;

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
          } else if (step.kind === "clear") {
            map.clear();
            model.clear();
          } else {
            const seen: number[] = [];
            const sizeBefore = map.size;
            map.sweep((value) => seen.push(value) > 0 && isOdd(value), step.entries);
            expect(seen).toHaveLength(Math.min(step.entries, sizeBefore));
            for (const key of model.keys())
              if (map.get(key) === undefined && isOdd(model.get(key) as number)) model.delete(key);
          }
          expect(map.size).toBe(model.size);
          for (const [key, value] of model) expect(map.get(key)).toBe(value);
        }
        map.sweep(isOdd, max);
        expect(map.size).toBe([...model.values()].filter((value) => !isOdd(value)).length);
      }),
    );
  });

  test("sweeps go on where the last one ended, and come round", () => {
    const map = new BoundedMap<string>(10);
    for (const key of ["a", "b", "c", "d", "e"]) map.set(key, key);
    const seen = (entries: number): string => {
      let keys = "";
      map.sweep((key) => {
        keys += key;
        return key === "b";
      }, entries);
      return keys;
    };
    expect([seen(2), seen(2), seen(2), seen(9)]).toEqual(["ab", "cd", "ea", "cdea"]);
    map.delete("c");
    expect(seen(2)).toBe("de");
  });
});
