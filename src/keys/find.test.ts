import { expect, test } from "bun:test";
import { openKeyStore } from "../../test/harness/key-store.ts";
import { done, refused } from "../domain/result.ts";
import { findKey, suggestKeyId } from "./find.ts";
import { issueKey } from "./issue.ts";

const store = await openKeyStore();

test("a key is found by its id; another id is refused, and the nearest one can be suggested", async () => {
  const issued = await issueKey(store, { name: "x", plan: "free" });
  if (issued.kind === "refused") throw new Error(issued.reason.kind);
  const { key } = issued.value;
  expect(await findKey(store.keys, key.id)).toEqual(done(key));
  const misspelt = `${key.id.slice(0, -1)}_`;
  expect(await findKey(store.keys, misspelt)).toEqual(refused({ kind: "no_such_key" }));
  expect(await suggestKeyId(store.keys, misspelt)).toBe(key.id);
  expect(await suggestKeyId(store.keys, "nothing like it")).toBeUndefined();
});
