import { expect, test } from "bun:test";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../test/harness/folder.ts";
import { isNote } from "./reading/notes.ts";
import { Rejects } from "./rejects.ts";

const HEADER = "name,categoryId";
const LINES = "pets.csv.rejected.csv";

const rejectOne = (path: string, line: number): Rejects => {
  const rejects = new Rejects(path, "pets.csv");
  rejects.add({ kind: "rejected", line, lastLine: line, reason: "It is none.", text: `x,${line}` }, HEADER);
  return rejects;
};

test("of two imports at the same time, the rejected lines of the later one stay", () => {
  const folder = temporaryFolder();
  const path = join(folder, "pets.csv.rejected");
  const both = [rejectOne(path, 2), rejectOne(path, 3)];
  for (const rejects of both) rejects.publish();
  for (const rejects of both) rejects.close();
  expect(readFileSync(path, "utf8")).toContain("of pets.csv\nline 3\tIt is none.\n");
  expect(readFileSync(join(folder, LINES), "utf8")).toBe("name,categoryId\nx,3\n");
  expect(readdirSync(folder).sort()).toEqual(["pets.csv.rejected", LINES]);
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

test("an import that ended between its two files does not keep the next one from its own", () => {
  const folder = temporaryFolder();
  const path = join(folder, "pets.csv.rejected");
  for (const lost of ["pets.csv.rejected", LINES]) {
    const rejects = rejectOne(path, 2);
    const unfinished = new RegExp(`^\\.${lost}\\.\\d+-.*\\.partial$`);
    for (const name of readdirSync(folder)) if (unfinished.test(name)) rmSync(join(folder, name));
    expect(() => rejects.publish()).toThrow("rejects_not_written");
    rejects.close();
    const next = rejectOne(path, 3);
    next.publish();
    next.close();
    expect(readFileSync(join(folder, LINES), "utf8")).toBe("name,categoryId\nx,3\n");
    expect(readdirSync(folder).sort()).toEqual(["pets.csv.rejected", LINES]);
  }
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

test("lines that somebody is mending are not replaced nor removed, and those that nobody touched are", () => {
  const folder = temporaryFolder();
  const [path, lines] = [join(folder, "pets.csv.rejected"), join(folder, LINES)];
  const importOnce = (rejects: Rejects): void => {
    try {
      rejects.publish();
    } finally {
      rejects.close();
    }
  };
  importOnce(rejectOne(path, 2));
  importOnce(rejectOne(path, 3));
  expect(readFileSync(lines, "utf8")).toBe("name,categoryId\nx,3\n");
  writeFileSync(lines, "name,categoryId\nRex,3\n");
  const refused = new Rejects(path, "pets.csv");
  const reject = { kind: "rejected", line: 4, lastLine: 4, reason: "It is none.", text: "x,4" } as const;
  expect(() => refused.add(reject, HEADER)).toThrow("rejects_exist");
  refused.close();
  importOnce(new Rejects(path, "pets.csv"));
  expect([readFileSync(lines, "utf8"), readdirSync(folder)]).toEqual(["name,categoryId\nRex,3\n", [LINES]]);
  rmSync(lines);
  importOnce(rejectOne(path, 5));
  importOnce(new Rejects(path, "pets.csv"));
  expect(readdirSync(folder)).toEqual([]);
});

test("each file is bounded by itself, and says how many are missing", () => {
  const folder = temporaryFolder();
  const path = join(folder, "pets.ndjson.rejected");
  const rejects = new Rejects(path, "pets.ndjson", 100_000);
  const [text, reason] = ["x".repeat(1_000), "y".repeat(100)];
  for (let line = 1; line <= 2_000; line++)
    rejects.add({ kind: "rejected", line, lastLine: line, reason, text }, undefined);
  rejects.publish();
  rejects.close();
  const { rejected, unreported, linesLeftOut, linesPath, firstRejects } = rejects.report;
  expect(linesPath).toBe(`${path}.ndjson`);
  const lines = readFileSync(`${path}.ndjson`, "utf8").split("\n");
  expect(lines.at(-2)).toBe(
    `# ${linesLeftOut.toLocaleString("en-US")} more were rejected, for which there was no room here.`,
  );
  expect(lines.filter((line) => line === text)).toHaveLength(rejected - linesLeftOut);
  expect(isNote(lines.at(-2) as string)).toBe(true);
  expect(unreported).toBeGreaterThan(0);
  expect(linesLeftOut).toBeGreaterThan(unreported);
  expect(readFileSync(path, "utf8")).toContain(`\n# ${unreported.toLocaleString("en-US")} more were rejected`);
  expect([firstRejects.length, firstRejects[0]?.text.length]).toEqual([100, 301]);
});
