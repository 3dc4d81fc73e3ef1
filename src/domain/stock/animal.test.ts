import { expect, test } from "bun:test";
import {
  ANIMAL_STATUSES,
  type Animal,
  type AnimalUpdate,
  animalTag,
  decideAnimalDeletion,
  decideAnimalUpdate,
} from "./animal.ts";

const REX: Animal = { id: 1n, name: "Rex", categoryId: 7n, status: "pending" };
const no = () => false;
const yes = () => true;
const neverAsked = (): never => {
  throw new Error("orders were asked for");
};

const refusal = (result: { readonly kind: string; readonly reason?: { readonly kind: string } }) => result.reason?.kind;

test("an update changes what it has, and leaves the rest", () => {
  const updated = (change: Omit<AnimalUpdate, "id">) => decideAnimalUpdate(REX, no, { id: 1n, ...change });
  expect(updated({ name: "Mia" })).toEqual({ kind: "done", value: { ...REX, name: "Mia" } });
  expect(updated({ categoryId: 0n })).toEqual({ kind: "done", value: { ...REX, categoryId: 0n } });
  expect(updated({ status: "sold" })).toEqual({ kind: "done", value: { ...REX, status: "sold" } });
  expect(updated({ name: undefined })).toEqual({ kind: "done", value: REX });
});

test("an open order keeps the status from being changed, and nothing else", () => {
  for (const status of ANIMAL_STATUSES)
    expect(refusal(decideAnimalUpdate(REX, yes, { id: 1n, status }))).toBe(
      status === REX.status ? undefined : "in_order",
    );
  expect(decideAnimalUpdate(REX, neverAsked, { id: 1n, name: "Mia", categoryId: 1n }).kind).toBe("done");
  expect(decideAnimalUpdate(REX, neverAsked, { id: 1n, status: REX.status }).kind).toBe("done");
});

test("an animal is removed unless an order refers to it", () => {
  expect(decideAnimalDeletion(REX, no, { id: 1n })).toEqual({ kind: "done", value: REX });
  expect(refusal(decideAnimalDeletion(REX, yes, { id: 1n }))).toBe("has_orders");
});

test("whether it is there comes first, then the precondition, then the orders", () => {
  const stale = { id: 1n, status: "sold" as const, precondition: { tags: ["other"] } };
  for (const [animal, reason] of [
    [undefined, "no_such_animal"],
    [REX, "precondition_failed"],
  ] as const) {
    expect(refusal(decideAnimalUpdate(animal, neverAsked, stale))).toBe(reason);
    expect(refusal(decideAnimalDeletion(animal, neverAsked, stale))).toBe(reason);
  }
  for (const precondition of ["exists", { tags: ["other", animalTag(REX)] }] as const) {
    expect(refusal(decideAnimalUpdate(REX, yes, { ...stale, precondition }))).toBe("in_order");
    expect(refusal(decideAnimalDeletion(REX, yes, { ...stale, precondition }))).toBe("has_orders");
  }
});

test("a tag is that of the content: every field changes it", () => {
  const variants: Animal[] = [
    REX,
    { ...REX, id: 2n },
    { ...REX, name: "rex" },
    { ...REX, categoryId: -7n },
    { ...REX, status: "sold" },
    { ...REX, name: `available ${REX.name}` },
    { ...REX, name: `${REX.name} `, categoryId: 7n },
  ];
  expect(new Set(variants.map(animalTag)).size).toBe(variants.length);
  expect(animalTag({ ...REX })).toBe(animalTag(REX));
});
