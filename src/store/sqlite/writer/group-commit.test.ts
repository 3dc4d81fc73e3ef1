import { expect, test } from "bun:test";
import { join } from "node:path";
import fc from "fast-check";
import { temporaryFolder } from "../../../../test/harness/folder.ts";
import { openForWriting, openShared } from "../file/database.ts";
import type { Write } from "../tables/write.ts";
import { groupCommit, type WriteOutcome } from "./group-commit.ts";

const folder = temporaryFolder();

const FAIL: Write = ["keys.rotate", { keyId: "key_unknown", digest: "d", atMs: 0, oldSecretsExpireAtMs: 0 }, undefined];

test("every animal gets the id that its creation is told, whatever it is committed together with", async () => {
  const path = join(folder, "ids.db");
  const reader = await openShared(path);
  const db = openForWriting(path);
  const write = groupCommit(db, { noteCommit: (_, transaction) => transaction() });
  const rowOf = reader.prepare("SELECT name FROM animals WHERE id = ?");
  const lastId = () =>
    (reader.query("SELECT seq FROM sqlite_sequence WHERE name = 'animals'").get() as { seq: bigint } | null)?.seq ?? 0n;
  reader.run(`INSERT INTO keys (id, name, plan, per_minute, per_day, created_at) VALUES ('key', 'k', 'free', 1, 1, 0)`);
  let number = 0;
  const creation = (key?: string): Write => [
    "animals.create",
    { name: `Animal ${++number}`, categoryId: 7n, status: "sold" },
    key === undefined ? undefined : { keyId: "key", value: key, fingerprint: "f", nowMs: 1 },
  ];
  const makers = {
    creations: () => Array.from({ length: 40 }, () => creation()),
    creation: () => [creation()],
    "a creation with a key": () => [creation(`key ${number}`)],
    "a retry": () => [creation("same")],
    "a removal of the last": () => [["animals.delete", { id: lastId() }, undefined] as Write],
    bookkeeping: () => [["maintenance.deleteSavedResponses", { savedAtMs: 0 }, undefined] as Write],
    "a write that fails": () => [FAIL],
  };
  const kinds = fc.constantFrom(...(Object.keys(makers) as (keyof typeof makers)[]), "creation" as const);
  fc.assert(
    fc.property(fc.array(kinds, { minLength: 1, maxLength: 12 }), (kinds) => {
      const writes = kinds.flatMap((kind) => makers[kind]());
      const before = lastId();
      const outcomes = write(writes);
      if (outcomes.kind === "locked") throw new Error(outcomes.message);
      const all: readonly WriteOutcome[] =
        outcomes.kind === "mixed"
          ? outcomes.outcomes
          : outcomes.outcomes.map((result) => ({ kind: "done", result }) as const);
      expect(all.length).toBe(writes.length);
      const ids: bigint[] = [];
      for (const [i, [name, input]] of writes.entries()) {
        const outcome = all[i] as WriteOutcome;
        expect(outcome.kind).toBe(writes[i] === FAIL ? "failed" : "done");
        const result = outcome.kind === "done" ? (outcome.result as { kind: string; value: bigint }) : undefined;
        if (name !== "animals.create" || result?.kind !== "done") continue;
        ids.push(result.value);
        expect(rowOf.get(result.value)).toEqual({ name: (input as { name: string }).name });
      }
      // In the order in which they were asked for, and never one that there was before.
      expect(ids).toEqual([...ids].sort((a, b) => Number(a - b)));
      expect(ids.every((id) => id > before)).toBe(true);
    }),
    { numRuns: 150 },
  );
  db.close();
  reader.close();
});
