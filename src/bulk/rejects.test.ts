import { expect, test } from "bun:test";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../test/harness/folder.ts";
import { Rejects } from "./rejects.ts";

const rejectOne = (path: string, line: number): Rejects => {
  const rejects = new Rejects(path, "pets.csv");
  rejects.add({ kind: "rejected", line, lastLine: line, reason: "It is none." });
  return rejects;
};

test("of two imports at the same time, the rejected lines of the later one stay", () => {
  const folder = temporaryFolder();
  const path = join(folder, "pets.csv.rejected");
  const both = [rejectOne(path, 2), rejectOne(path, 3)];
  for (const rejects of both) rejects.publish();
  for (const rejects of both) rejects.close();
  expect(readFileSync(path, "utf8")).toEndWith("of pets.csv\nline 3\tIt is none.\n");
  expect(readdirSync(folder)).toEqual(["pets.csv.rejected"]);
});

test("a file of somebody else that was made meanwhile is not replaced", () => {
  const folder = temporaryFolder();
  const path = join(folder, "pets.csv.rejected");
  const rejects = rejectOne(path, 2);
  writeFileSync(path, "mine");
  expect(() => rejects.publish()).toThrow("rejects_exist");
  rejects.close();
  expect([readFileSync(path, "utf8"), readdirSync(folder)]).toEqual(["mine", ["pets.csv.rejected"]]);
});

test("a file that was deleted meanwhile is not published without its beginning", () => {
  const folder = temporaryFolder();
  const path = join(folder, "pets.csv.rejected");
  const rejects = rejectOne(path, 2);
  for (const name of readdirSync(folder)) rmSync(join(folder, name));
  expect(() => rejects.publish()).toThrow("rejects_not_written");
  rejects.close();
  expect(readdirSync(folder)).toEqual([]);
});
