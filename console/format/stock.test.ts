import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { OrderView } from "../../src/console/api/index.ts";
import { ORDER_STATUSES } from "../../src/domain/stock/order.ts";
import {
  animalStatusLabel,
  differences,
  filterText,
  heldBack,
  inStatus,
  rebased,
  searchedFor,
  updateOf,
  withFirstPage,
} from "./stock.ts";

const REX = { name: "Rex", categoryId: "9007199254740993", status: "available" } as const;

describe("a search", () => {
  test.each([
    ["42", { id: "42", name: "" }],
    [" 9223372036854775807 ", { id: "9223372036854775807", name: "" }],
    ["9223372036854775808", { id: "", name: "9223372036854775808" }],
    ["-1", { id: "", name: "-1" }],
    ["042", { id: "", name: "042" }],
    ["Rex 2", { id: "", name: "Rex 2" }],
    ["  ", { id: "", name: "" }],
  ])("for %j is by id only where that can be one", (text, found) => expect(searchedFor(text)).toEqual(found));
});

test("a filter is told in words", () => {
  const none = { status: "", category: undefined, name: "", isInside: false, id: "" };
  expect(filterText(none)).toBe("all animals");
  expect(filterText({ ...none, status: "sold" })).toBe("sold animals");
  expect(filterText({ ...none, status: "available", category: { id: "1", name: "Dogs" } })).toBe(
    "available animals of Dogs",
  );
  expect(filterText({ ...none, category: { id: "12", name: null } })).toBe("animals of category 12");
  expect(filterText({ ...none, name: "Re" })).toBe("animals whose name begins with “Re”");
  expect(filterText({ ...none, name: "ex", isInside: true })).toBe("animals whose name contains “ex”");
  expect(filterText({ ...none, id: "7" })).toBe("animals with the id 7");
});

test("only what can be sold stands out, and pending and sold do not look the same", () => {
  expect(animalStatusLabel("available")).toEqual({ text: "Available", tone: "good" });
  expect(animalStatusLabel("pending")).toEqual({ text: "Pending", tone: "open" });
  expect(animalStatusLabel("sold")).toEqual({ text: "Sold", tone: "settled" });
});

describe("an animal that somebody else has changed meanwhile", () => {
  test("says what is different", () => {
    expect(differences(REX, { ...REX, name: "Max", status: "sold" })).toBe("name Rex → Max, status available → sold");
    expect(differences(REX, REX)).toBe("");
  });
  test("keeps what was typed, and takes over the rest", () => {
    const now = { ...REX, name: "Max", status: "sold" } as const;
    expect(rebased({ ...REX, name: "Rexy" }, REX, now)).toEqual({ ...REX, name: "Rexy", status: "sold" });
  });
  test("is updated only where it was touched", () => {
    expect(updateOf(REX, REX)).toEqual({});
    expect(updateOf(REX, { ...REX, categoryId: "9007199254740992" })).toEqual({ categoryId: "9007199254740992" });
  });
});

const order = (id: string, more: Partial<OrderView> = {}): OrderView => ({
  id,
  petId: "1",
  animalName: null,
  status: "placed",
  reference: null,
  placedAtMs: 0,
  updatedAtMs: 1,
  ...more,
});
const idsOf = (orders: readonly OrderView[]): string[] => orders.map(({ id }) => id);

describe("a list of orders", () => {
  test("of which the first page was asked for again keeps what is older, and forgets what has left", () => {
    const known = ["9", "8", "7", "6", "5"].map((id) => order(id));
    const page = { items: [order("10"), order("9"), order("7")], next: "c" };
    expect(idsOf(withFirstPage(known, page))).toEqual(["10", "9", "7", "6", "5"]);
    expect(idsOf(withFirstPage(known, { ...page, next: null }))).toEqual(["10", "9", "7"]);
    expect(withFirstPage(known, { items: [], next: null })).toEqual([]);
  });

  test("shows a moved one where it went, until the list says otherwise", () => {
    const listed = [order("9"), order("8")];
    const moved = new Map([["9", order("9", { status: "approved", updatedAtMs: 5 })]]);
    expect(idsOf(inStatus("placed", listed, moved))).toEqual(["8"]);
    expect(
      idsOf(inStatus("approved", [order("10", { status: "approved" }), order("7", { status: "approved" })], moved)),
    ).toEqual(["10", "9", "7"]);
    const since = [order("9", { status: "delivered", updatedAtMs: 6 })];
    expect(idsOf(inStatus("delivered", since, moved))).toEqual(["9"]);
  });

  test("holds back what is new, but not what one has moved there oneself, nor the first ones", () => {
    const orders = ["9", "8", "7"].map((id) => order(id));
    const held = heldBack(orders, new Set(["7"]), new Map([["8", order("8")]]));
    expect([idsOf(held.orders), idsOf(held.newcomers)]).toEqual([["8", "7"], ["9"]]);
    expect(heldBack(orders, new Set(["6"]), new Map())).toEqual({ orders, newcomers: [] });
  });

  test("is sorted by exact ids, and has no order twice, whatever was moved", () => {
    const anyOrder = fc.record({
      id: fc.bigInt({ min: 9007199254740990n, max: 9007199254740999n }).map(String),
      status: fc.constantFrom(...ORDER_STATUSES),
      updatedAtMs: fc.nat(5),
    });
    fc.assert(
      fc.property(fc.uniqueArray(anyOrder, { selector: ({ id }) => id }), fc.array(anyOrder), (listed, moves) => {
        const moved = new Map(moves.map((move) => [move.id, order(move.id, move)]));
        const shown = inStatus(
          "placed",
          listed.map((each) => order(each.id, each)),
          moved,
        );
        const ids = shown.map(({ id }) => BigInt(id));
        expect(ids).toEqual([...new Set(ids)].sort((a, b) => (a < b ? 1 : -1)));
        expect(shown.every(({ status }) => status === "placed")).toBe(true);
      }),
    );
  });
});
