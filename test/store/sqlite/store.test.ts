import { expect, test } from "bun:test";
import { join } from "node:path";
import { newCounts } from "../../../src/domain/usage/usage.ts";
import { openForCommand, openForServing, openHandle } from "../../../src/store/sqlite/store.ts";
import { temporaryFolder } from "../../harness/folder.ts";
import { updatesContract } from "../contract/animals.contract.ts";
import { importsContract } from "../contract/imports.contract.ts";
import { keyStoreContract } from "../contract/keys.contract.ts";
import { listsContract } from "../contract/lists.contract.ts";
import { nameIndexContract } from "../contract/name-index.contract.ts";
import { ordersContract } from "../contract/orders.contract.ts";
import { requestsContract } from "../contract/requests.contract.ts";
import { sessionsContract } from "../contract/sessions.contract.ts";
import { storeContract } from "../contract/store.contract.ts";
import { usageContract } from "../contract/usage.contract.ts";

const folder = temporaryFolder();
let stores = 0;
const newPath = () => join(folder, `${++stores}.db`);

for (const contract of [
  storeContract,
  updatesContract,
  listsContract,
  ordersContract,
  keyStoreContract,
  importsContract,
  nameIndexContract,
]) {
  contract("SQLite, for serving", () => openForServing(newPath()));
  contract("SQLite, for a command", () => openForCommand(newPath(), { create: true }));
}

for (const contract of [usageContract, requestsContract, sessionsContract]) {
  contract("SQLite, for two threads", async () => {
    const first = await openForServing(newPath());
    return [first, openHandle(first.newHandle())];
  });
  contract("SQLite, for two commands", async () => {
    const path = newPath();
    return [await openForCommand(path, { create: true }), await openForCommand(path, { create: false })];
  });
}

test("SQLite: usage, heartbeats, sessions and the index of names change nothing that a reply is made of, so cached replies stay valid", async () => {
  const store = await openForServing(newPath());
  await store.animals.create({ name: "Rex", categoryId: 1n, status: "sold" });
  const version = store.version();
  expect(version).toBeDefined();
  const sums = [{ keyId: null, startedAtMs: 60_000, counts: newCounts().map(() => 1) }];
  await store.usage.add({ source: "s", sequence: 1, atMs: 1, sums });
  await store.maintenance.sweepUsage({ nowMs: Date.parse("2027-03-01") });
  await store.maintenance.deleteUsageOfKey({ keyId: "key_gone" });
  const signed = { by: "t", via: "command", atMs: 1 } as const;
  await store.sessions.makeLink({ ...signed, digest: "l", name: "t", role: "viewer", expiresAtMs: 3 });
  await store.sessions.signIn({ linkDigest: "l", atMs: 1, digest: "s", expiresAtMs: 3 });
  await store.sessions.prolong({ digest: "s", expiresAtMs: 4 });
  await store.sessions.signOut({ digest: "s" });
  await store.sessions.signOutAll(signed);
  await store.sessions.signOutOf({ name: "t", author: signed });
  await store.maintenance.sweepSessions({ nowMs: 5 });
  await store.nameIndex.extend();
  await store.nameIndex.drop();
  const about = { id: "a", host: "h", version: "1", environment: "production", threads: 1, startedAtMs: 1 } as const;
  await store.instances.note({ ...about, health: "ready", seenAtMs: 1, stoppedAtMs: undefined });
  expect(store.version()).toBe(version);
  await store.animals.create({ name: "Rex", categoryId: 1n, status: "sold" });
  expect(store.version()).not.toBe(version);
  await store.close();
});
