import { expect, test } from "bun:test";
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../../../test/harness/folder.ts";
import { OperatorError } from "../../../base/operator-error.ts";
import { realPathOf } from "./real-path.ts";

const folder = realpathSync(temporaryFolder());
const link = (target: string, name: string): string => {
  symlinkSync(target, join(folder, name));
  return join(folder, name);
};
mkdirSync(join(folder, "disk/below"), { recursive: true });
writeFileSync(join(folder, "disk/store.db"), "");

test("what is no link stays as it is, whether it exists or not", () => {
  for (const path of ["data/none.db", join(folder, "none.db"), join(folder, "disk/store.db")])
    expect(realPathOf(path)).toBe(path);
});

test("links are followed to the last of them, also to a file that does not exist yet", () => {
  expect(realPathOf(link(link("disk/store.db", "a.db"), "b.db"))).toBe(join(folder, "disk/store.db"));
  expect(realPathOf(link(link("disk/new.db", "c.db"), "d.db"))).toBe(join(folder, "disk/new.db"));
  link("disk/below", "folder");
  expect(realPathOf(link("folder/../store.db", "e.db"))).toBe(join(folder, "disk/store.db"));
  link("../new.db", "folder/f.db");
  expect(realpathSync(join(realPathOf(join(folder, "folder/f.db")), ".."))).toBe(join(folder, "disk"));
});

test("links that lead in a circle are one clear line", () => {
  link("x.db", "y.db");
  const failure = () => realPathOf(link("y.db", "x.db"));
  expect(failure).toThrow(OperatorError);
  expect(() => realPathOf(join(folder, "x.db"))).toThrow(`cannot follow the symbolic link ${join(folder, "x.db")}`);
});
