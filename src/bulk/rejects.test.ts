import { expect, test } from "bun:test";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../test/harness/folder.ts";
import { firstRejects, Rejects } from "./rejects.ts";

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

test("a reason that quotes a line separator is read in full", async () => {
  const path = join(temporaryFolder(), "pets.csv.rejected");
  const reason = 'The field "a\u2028b" is not a field of this line. Remove it.';
  const rejects = new Rejects(path, "pets.csv");
  rejects.add({ kind: "rejected", line: 2, lastLine: 2, reason });
  rejects.add({ kind: "rejected", line: 3, lastLine: 4, reason: "It is none." });
  rejects.publish();
  rejects.close();
  expect(await firstRejects(path, 10)).toEqual([
    { kind: "rejected", line: 2, lastLine: 2, reason },
    { kind: "rejected", line: 3, lastLine: 4, reason: "It is none." },
  ]);
});
