import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { temporaryFolder } from "../../../test/harness/folder.ts";
import { removeAbandonedUploads, UploadFolder } from "./upload-folder.ts";

test("the folder of somebody who is alive stays, and one that is nobody's is removed at once", () => {
  const root = temporaryFolder();
  const uploads = new UploadFolder(root);
  const live = uploads.newFolder("1");
  writeFileSync(join(live, "pets.csv"), "name");
  // Old, as during an import that takes long.
  utimesSync(dirname(live), 1, 1);
  const abandoned = join(root, "animal-store-imports-abcdef");
  mkdirSync(join(abandoned, "1"), { recursive: true });
  writeFileSync(join(abandoned, "1", "pets.csv"), "name");
  removeAbandonedUploads(root);
  expect([existsSync(join(live, "pets.csv")), existsSync(abandoned)]).toEqual([true, false]);
  uploads.close();
  expect(readdirSync(root)).toEqual([]);
});

test("whoever uploads first removes what nobody has, and shares the place with others", () => {
  const root = temporaryFolder();
  mkdirSync(join(root, "animal-store-imports-abcdef"));
  const [one, other] = [new UploadFolder(root), new UploadFolder(root)];
  const folders = [one.newFolder("1"), other.newFolder("1"), one.newFolder("2")];
  expect(folders.map((folder) => existsSync(folder))).toEqual([true, true, true]);
  expect(readdirSync(root)).toHaveLength(2);
  one.close();
  expect(folders.map((folder) => existsSync(folder))).toEqual([false, true, false]);
  other.close();
  expect(readdirSync(root)).toEqual([]);
});

test("what an earlier release has left is removed once it is old, and its process is gone", () => {
  const root = temporaryFolder();
  const gone = 2 ** 22 + 1;
  const abandoned = `animal-store-uploads-${gone}-a`;
  const live = `animal-store-uploads-${process.ppid}-b`;
  const young = `animal-store-uploads-${gone}-c`;
  for (const name of [abandoned, live, young, "other"]) {
    mkdirSync(join(root, name));
    if (name !== young) utimesSync(join(root, name), 1, 1);
  }
  removeAbandonedUploads(root);
  // A new folder may belong to another container, whose processes are not visible.
  expect(readdirSync(root).sort()).toEqual([live, young, "other"].sort());
});

test("without a folder for temporary files, there is nothing to remove", () => {
  removeAbandonedUploads(join(temporaryFolder(), "none"));
});
