import { expect, test } from "bun:test";
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { SIGNED } from "../../test/harness/rows/author.ts";
import { openKeyStore } from "../../test/harness/service/key-store.ts";
import { OperatorError } from "../base/operator-error.ts";
import { digestOf } from "../domain/keys/key.ts";
import { PLANS } from "../domain/keys/plan.ts";
import { type NewKey, StoreUnavailable } from "../store/ports/store.ts";
import { absolutePath } from "../store/urls/database-url.ts";
import { issueKey } from "./issue.ts";
import { issueOperatorKey, operatorKeyFile, problemWithOperatorKey } from "./operator-key.ts";

async function emptyStore() {
  const store = await openKeyStore();
  const file = operatorKeyFile(store.path);
  return { ...store, file, secret: () => readFileSync(file, "utf8").trim() };
}

test("the file lies beside the database, under its name", () => {
  expect(operatorKeyFile("/srv/store.db")).toBe("/srv/store.operator-key");
  expect(operatorKeyFile("/srv/store.sqlite3")).toBe("/srv/store.operator-key");
  expect(operatorKeyFile("/srv/store")).toBe("/srv/store.operator-key");
  expect(operatorKeyFile("data/a.db")).toBe(absolutePath("data/a.operator-key"));
});

test("an empty store gets a Business key, whose secret only the file's owner can read", async () => {
  const { keys, clock, file, secret } = await emptyStore();
  expect(await issueOperatorKey(keys, file, clock, "production")).toBe(true);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(await keys.findBySecret(digestOf(secret()))).toMatchObject({
    key: { name: "operator", plan: "business", quotas: PLANS.business, createdAtMs: clock.nowMs() },
    secret: { expiresAtMs: undefined },
  });
});

test("in staging, its secret begins as those of staging do", async () => {
  const { keys, clock, file, secret } = await emptyStore();
  await issueOperatorKey(keys, file, clock, "staging");
  expect(secret()).toMatch(/^ask_test_/);
  expect(await keys.findBySecret(digestOf(secret()))).toBeDefined();
});

test("a store that has or had a key gets no other, and the file stays as it is", async () => {
  const { keys, clock, file, secret } = await emptyStore();
  await issueOperatorKey(keys, file, clock, "production");
  const first = secret();
  expect(await issueOperatorKey(keys, file, clock, "production")).toBe(false);
  expect(secret()).toBe(first);
  expect(await keys.list()).toHaveLength(1);
});

test("when a key is issued in the meantime, the file is removed again", async () => {
  const { keys, clock, file } = await emptyStore();
  const raced = {
    revision: () => keys.revision(),
    createFirst: async (key: NewKey) => {
      expect(existsSync(file)).toBe(true);
      await issueKey({ keys, clock, environment: "production", author: SIGNED }, { name: "quicker", plan: "free" });
      return keys.createFirst(key);
    },
  };
  expect(await issueOperatorKey(raced, file, clock, "production")).toBe(false);
  expect(existsSync(file)).toBe(false);
  expect((await keys.list()).map((key) => key.name)).toEqual(["quicker"]);
});

test("after a failure between file and key, the next start issues a key and replaces the file", async () => {
  const { keys, clock, file, secret } = await emptyStore();
  const failing = {
    revision: () => keys.revision(),
    createFirst: () => Promise.reject(new StoreUnavailable("disk full")),
  };
  await expect(issueOperatorKey(failing, file, clock, "production")).rejects.toThrow("disk full");
  const lost = secret();
  expect(await keys.findBySecret(digestOf(lost))).toBeUndefined();
  expect(await issueOperatorKey(keys, file, clock, "production")).toBe(true);
  expect(secret()).not.toBe(lost);
  expect(await keys.findBySecret(digestOf(secret()))).toBeDefined();
});

test("what others have prepared in the folder neither gets the secret nor leads it elsewhere", async () => {
  for (const prepare of [symlinkSync, linkSync]) {
    const { keys, clock, file, secret } = await emptyStore();
    const victim = `${file}.victim`;
    for (const prepared of [file, `${file}.new`]) {
      writeFileSync(victim, "theirs", { mode: 0o666 });
      prepare(victim, prepared);
    }
    expect(await issueOperatorKey(keys, file, clock, "production")).toBe(true);
    expect(readFileSync(victim, "utf8")).toBe("theirs");
    expect(lstatSync(file).mode).toBe(0o100600);
    expect(await keys.findBySecret(digestOf(secret()))).toBeDefined();
  }
});

test("without its file no key is issued", async () => {
  const { keys, clock, file } = await emptyStore();
  mkdirSync(file);
  await expect(issueOperatorKey(keys, file, clock, "production")).rejects.toThrow(OperatorError);
  await expect(issueOperatorKey(keys, file, clock, "production")).rejects.toThrow("cannot write the operator's key to");
  expect(await keys.list()).toEqual([]);
});

test("a secret that a crash has left in the file, and that no key was issued for, is told from one in use", async () => {
  const { keys, clock, file } = await emptyStore();
  const crashing = {
    revision: () => keys.revision(),
    createFirst: () => Promise.reject(new StoreUnavailable("killed")),
  };
  await expect(issueOperatorKey(crashing, file, clock, "production")).rejects.toThrow("killed");
  await issueKey({ keys, clock, environment: "production", author: SIGNED }, { name: "by hand", plan: "free" });
  expect(await issueOperatorKey(keys, file, clock, "production")).toBe(false);
  expect(await problemWithOperatorKey(keys, file, clock)).toEqual({ kind: "unknown" });
  const other = await emptyStore();
  await issueOperatorKey(other.keys, other.file, clock, "production");
  expect(await problemWithOperatorKey(other.keys, other.file, clock)).toBeUndefined();
});
