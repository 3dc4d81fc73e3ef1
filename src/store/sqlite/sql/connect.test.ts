import { expect, test } from "bun:test";
import { join } from "node:path";
import { Glob } from "bun";
import { temporaryFolder } from "../../../../test/harness/folder.ts";
import { connect } from "./connect.ts";

test("the schema of a file is not trusted, on any connection", async () => {
  using db = connect(join(temporaryFolder(), "store.db"), { create: true });
  expect(db.query("PRAGMA trusted_schema").values()).toEqual([[0]]);
  const source = join(import.meta.dir, "../../..");
  const opening: string[] = [];
  for await (const file of new Glob("**/*.ts").scan(source))
    if (!file.endsWith(".test.ts") && (await Bun.file(join(source, file)).text()).includes("new Database("))
      opening.push(file);
  expect(opening).toEqual(["store/sqlite/sql/connect.ts"]);
});
