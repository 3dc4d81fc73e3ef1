import { expect, test } from "bun:test";
import { OperatorError } from "../base/operator-error.ts";
import { ownCommand } from "./own-command.ts";
import { textOfFailure } from "./remedies.ts";

test("a failure is one line with what to do, by the commands of this program", () => {
  expect(textOfFailure(new OperatorError("port 80 is in use: stop what uses it"))).toBe(
    "port 80 is in use: stop what uses it",
  );
  const empty = new OperatorError("the database is empty", { kind: "database_empty" });
  expect(textOfFailure(empty.of("/srv/a.db"))).toBe(
    `/srv/a.db: the database is empty: check DATABASE_URL, or run ${ownCommand("migrate")}, which creates its schema`,
  );
  const missing = new OperatorError("there is no database at /srv/a.db", { kind: "file_missing" });
  expect(textOfFailure(missing, { setting: "--from", mayCreate: false })).toBe(
    "there is no database at /srv/a.db: check --from and the current folder",
  );
});
