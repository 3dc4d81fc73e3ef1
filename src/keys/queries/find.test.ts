import { expect, test } from "bun:test";
import { SIGNED } from "../../../test/harness/rows/author.ts";
import { openKeyStore } from "../../../test/harness/service/key-store.ts";
import { done, refused } from "../../base/result.ts";
import { digestOf, type Key, newKey, newSecret } from "../../domain/keys/key.ts";
import { PLANS } from "../../domain/keys/plan.ts";
import { findKey } from "./find.ts";

async function storeWith(...names: string[]) {
  const { keys } = await openKeyStore();
  const created: Key[] = [];
  for (const [i, name] of names.entries()) {
    const key = newKey({ name, plan: "free", quotas: PLANS.free, createdAtMs: i + 1, expiresAtMs: undefined });
    await keys.create({ ...SIGNED, key, digest: digestOf(newSecret()) });
    created.push(key);
  }
  return { keys, created };
}

const unknown = (suggestion?: string) => refused({ kind: "no_such_key" as const, suggestion });

test("a key is found by its id, or by a name that no other key has", async () => {
  const { keys, created } = await storeWith("Front desk", "Café 🐾", " Shop ");
  const [desk, cafe, shop] = created as [Key, Key, Key];
  expect(await findKey(keys, desk.id)).toEqual(done(desk));
  expect(await findKey(keys, "Front desk")).toEqual(done(desk));
  expect(await findKey(keys, "Cafe\u0301 🐾")).toEqual(done(cafe));
  // No new key can have such a name, but one of an earlier release may.
  expect(await findKey(keys, " Shop ")).toEqual(done(shop));
});

test("an id wins over a name that looks like it", async () => {
  const { keys, created } = await storeWith("first");
  const [first] = created as [Key];
  const second = { ...first, id: "key_000000000000", name: first.id };
  await keys.create({ ...SIGNED, key: second, digest: "d" });
  expect(await findKey(keys, first.id)).toEqual(done(first));
  expect(await findKey(keys, second.id)).toEqual(done(second));
});

test("a name that several keys have is refused with their ids, the revoked ones included", async () => {
  const { keys, created } = await storeWith("desk", "zoo", "desk");
  const [a, , b] = created as [Key, Key, Key];
  await keys.revoke({ ...SIGNED, keyId: a.id, atMs: 5 });
  expect(await findKey(keys, "desk")).toEqual(refused({ kind: "several_have_name", ids: [a.id, b.id] }));
  expect(await findKey(keys, b.id)).toEqual(done(b));
});

test("a name in another case is not the same, but suggested", async () => {
  const { keys } = await storeWith("Front desk");
  expect(await findKey(keys, "front desk")).toEqual(unknown("Front desk"));
});

test("for what is misspelt, the nearest id or name is suggested", async () => {
  const { keys, created } = await storeWith("Front desk", "Warehouse");
  const [desk] = created as [Key];
  expect(await findKey(keys, `${desk.id.slice(0, -1)}_`)).toEqual(unknown(desk.id));
  expect(await findKey(keys, "Warehuose")).toEqual(unknown("Warehouse"));
  expect(await findKey(keys, "nothing like it")).toEqual(unknown());
});

test("hostile text is just not found, and takes no time", async () => {
  const { keys } = await storeWith("Front desk");
  for (const text of ["", "\0", "\ud800", "' OR 1=1 --", "key_\0\0\0\0", "x".repeat(10_000_000)])
    expect(await findKey(keys, text)).toEqual(unknown());
});
