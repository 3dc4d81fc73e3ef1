import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { begin } from "../../torture/common/attack.ts";
import { Random } from "../../torture/common/random.ts";
import { JournaledDisk } from "../../torture/disk/disk.ts";
import type { DiskRecord } from "../../torture/disk/journal.ts";
import { whyNoDiskLayer } from "../../torture/disk/layer.ts";
import {
  BRIEF,
  cutAfterFailedCheckpoint,
  cutAfterFailures,
  cutAfterPartialCheck,
  cutBackup,
  cutFirstStart,
  cutImport,
  cutUnderLoad,
} from "../../torture/power/power.ts";
import { Stage } from "../../torture/power/stage.ts";

// The short form of `npm run torture -- power`, and the disk that it is made on.

const SEED = 20261115;

describe("a disk", () => {
  const NOTHING = { path2: "", inode: 1n, offset: 0, data: new Uint8Array(), error: 0, isFolder: false, end: 0 };
  const record = (operation: DiskRecord["operation"], path: string, more: Partial<DiskRecord> = {}): DiskRecord => ({
    ...NOTHING,
    operation,
    path,
    ...more,
  });
  const write = (path: string, text: string) => record("write", path, { data: new TextEncoder().encode(text) });
  const syncFolder = record("sync", ".", { isFolder: true });

  /** All states, as text, that power cuts may leave after these records. */
  function possible(...records: readonly DiskRecord[]): Set<string> {
    const disk = new JournaledDisk();
    for (const one of records) disk.apply(one);
    const random = new Random(SEED);
    const textOf = (content: Uint8Array | undefined) => new TextDecoder().decode(content);
    const states = Array.from({ length: 200 }, () => [...disk.after(random)]);
    return new Set(states.map((state) => state.map(([path, content]) => `${path}=${textOf(content)}`).join(" ")));
  }

  test("keeps what was synced, the content and the name", () => {
    const synced = [record("open", "a"), write("a", "1"), record("sync", "a"), syncFolder];
    expect(possible(...synced)).toEqual(new Set(["a=1"]));
  });

  test("may forget what was not: the name, the content, or only its size is there", () => {
    const created = [record("open", "a"), write("a", "1")];
    expect(possible(...created)).toEqual(new Set(["", "a=", "a=\0", "a=1"]));
    expect(possible(...created, record("sync", "a"))).toEqual(new Set(["", "a=1"]));
    expect(possible(...created, syncFolder)).toEqual(new Set(["a=", "a=\0", "a=1"]));
  });

  test("renames as a whole, or not at all", () => {
    const drafted = [record("open", "a.new"), write("a.new", "1"), record("sync", "a.new"), syncFolder];
    const renamed = [...drafted, record("rename", "a.new", { path2: "a" })];
    expect(possible(...renamed)).toEqual(new Set(["a.new=1", "a=1"]));
    expect(possible(...renamed, syncFolder)).toEqual(new Set(["a=1"]));
  });

  test("cuts a file short before anything that is written later, or not at all", () => {
    const first = [record("open", "a"), write("a", "123"), record("sync", "a"), syncFolder];
    const cut = [...first, record("truncate", "a", { offset: 1 })];
    expect(possible(...cut)).toEqual(new Set(["a=123", "a=1"]));
    expect(possible(...cut, write("a", "4"))).toEqual(new Set(["a=123", "a=1", "a=4"]));
  });

  test("after a failed sync forgets, even if the next one succeeds, until it is written again", () => {
    const first = [record("open", "a"), write("a", "1"), record("sync", "a"), syncFolder];
    const failed = [...first, write("a", "2"), record("sync", "a", { error: 5 })];
    expect(possible(...failed)).toEqual(new Set(["a=1", "a=2"]));
    expect(possible(...failed, record("sync", "a"))).toEqual(new Set(["a=1", "a=2"]));
    expect(possible(...failed, write("a", "3"), record("sync", "a"))).toEqual(new Set(["a=3"]));
  });
});

describe.skipIf(whyNoDiskLayer() !== undefined)("power cuts", () => {
  test("the journal has all that the program does to its folder", async () => {
    const stage = new Stage({ hasDataFolder: false });
    const service = await stage.serve();
    await stage.run("keys", "create", "--name", "test", "--plan", "free");
    await stage.run("backup", "copy.db");
    await service.kill("SIGTERM");
    for (const record of stage.records()) stage.disk.apply(record);
    const files = [...stage.disk.latest()].filter(([path, content]) => content && !path.endsWith("-shm"));
    const names = [...new Bun.Glob("**").scanSync({ cwd: stage.cwd, dot: true })].filter((n) => !n.endsWith("-shm"));
    expect(files.map(([path]) => path).sort()).toEqual(names.sort());
    for (const [path, content] of files)
      expect(Buffer.compare(content as Uint8Array, readFileSync(join(stage.cwd, path)))).toBe(0);
  });

  for (const [what, scene] of [
    ["under load lose no acknowledged write and damage nothing", cutUnderLoad],
    ["after failures of the disk do neither", cutAfterFailures],
    ["after a checkpoint whose sync has failed do neither", cutAfterFailedCheckpoint],
    ["after a check that a reader kept from meeting the failing disk do neither", cutAfterPartialCheck],
    ["at a first start leave a store to start on, and the operator with a key that works", cutFirstStart],
    ["at a backup leave a whole copy or none, and the whole one once it was reported", cutBackup],
    ["at an import leave exactly what it says that it has done, and all of it once it was reported", cutImport],
  ] as const)
    test(what, async () => {
      const course = begin({ seed: SEED });
      await scene(course, 0, BRIEF);
      expect(course.board.violations).toEqual([]);
      expect(course.board.of("disk states")).toBeGreaterThan(BRIEF.cuts);
      expect(course.board.of("acknowledged")).toBeGreaterThan(0);
    });
});
