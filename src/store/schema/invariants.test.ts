import { expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryFolder } from "../../../test/harness/folder.ts";
import { SIGNED } from "../../../test/harness/rows/author.ts";
import { querySqlite } from "../../../test/harness/service/stores.ts";
import { newKey } from "../../domain/keys/key.ts";
import { PLANS } from "../../domain/keys/plan.ts";
import { SCOPES } from "../../domain/keys/scope.ts";
import { openForCommand } from "../sqlite/store.ts";
import { invariantChecks } from "./invariants.ts";

test("every choice of scopes that can be stored is well-formed, and nothing else is", async () => {
  const path = join(temporaryFolder(), "store.db");
  const store = await openForCommand(path, { create: true });
  const key = newKey({ name: "x", plan: "free", quotas: PLANS.free, createdAtMs: 1, expiresAtMs: undefined });
  await store.keys.create({ ...SIGNED, key, digest: "0".repeat(64) });
  const check = invariantChecks((sql) => querySqlite(path, sql) as { id: unknown }[]).find(
    ({ name }) => name === "scopes of keys are well-formed",
  );
  const found = async () => (await check?.run())?.kind;
  for (let choice = 1; choice < 2 ** SCOPES.length; choice++) {
    const scopes = SCOPES.filter((_, i) => choice & (1 << i));
    await store.keys.edit({ ...SIGNED, keyId: key.id, scopes });
    expect((await store.keys.get(key.id))?.scopes).toEqual(scopes);
    expect(await found()).toBe("ok");
  }
  for (const text of ["", " ", "pets:read,pets:write", "pets:write pets:read", "pets:read pets:read", "admin"]) {
    querySqlite(path, `UPDATE keys SET scopes = '${text}'`);
    expect([text, await found()]).toEqual([text, "problem"]);
  }
  await store.close();
});
