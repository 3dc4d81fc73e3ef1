import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabaseFile } from "../../test/harness/rows/sqlite.ts";
import type { Random } from "../common/random.ts";
import type { Scoreboard } from "../common/scoreboard.ts";
import { restore } from "../disk/disk.ts";
import type { DiskRecord } from "../disk/journal.ts";
import type { Moment } from "../ledger/history.ts";
import type { Stage } from "./stage.ts";

export interface CutOptions {
  readonly random: Random;
  readonly board: Scoreboard;
  /** The number of cuts, and the number of possible states to check after each. */
  readonly cuts: number;
  readonly states: number;
  /** Cuts come only after this time. */
  readonly from?: Moment | undefined;
  /** True when the time is up. */
  readonly isOver: () => boolean;
  /** Checks a state that a cut may leave. Whatever it throws is a violation. */
  readonly check: (remains: { readonly folder: string; readonly at: Moment; readonly where: string }) => unknown;
}

/** Simulates power cuts at points of a stage's journal, and checks the possible states. Call once per stage. */
export async function cutPower(stage: Stage, options: CutOptions): Promise<void> {
  const { board, random } = options;
  const records = stage.records();
  const chosen = chooseCuts(records, options);
  for (const record of records) {
    stage.disk.apply(record);
    if (!chosen.has(record) || options.isOver()) continue;
    board.count("power cuts");
    for (let state = 0; state < options.states; state++) {
      board.count("disk states");
      const folder = mkdtempSync(join(tmpdir(), "animal-store-"));
      const where = `power cut at byte ${record.end} of the journal, after ${record.operation} ${record.path}`;
      try {
        restore(stage.disk.after(random), folder);
        await options.check({ folder, at: record.end, where });
      } catch (error) {
        board.violation(`${where}: ${(error as Error).message}`);
      } finally {
        rmSync(folder, { recursive: true });
      }
    }
  }
}

/** Half of the cuts are anywhere, half at critical points: before and after syncs and changes of names. */
function chooseCuts(records: readonly DiskRecord[], { random, cuts, from = 0 }: CutOptions): Set<DiskRecord> {
  const possible = records.filter(({ end, path }) => end >= from && !path.endsWith("-shm"));
  const decisive = possible.filter(
    ({ operation }, i) => operation !== "write" || possible[i + 1]?.operation === "sync",
  );
  const chosen = [...random.shuffle(possible).slice(0, cuts / 2), ...random.shuffle(decisive).slice(0, cuts / 2)];
  // The end is always included, because most has been acknowledged by then.
  return new Set([...chosen, ...possible.slice(-1)]);
}

/** Opens a database as the next start would, and runs SQLite's integrity check. */
export function checkIntegrity(path: string): void {
  if (!existsSync(path)) return;
  const db = openDatabaseFile(path, { readwrite: true, create: false });
  try {
    const rows = db.query("PRAGMA integrity_check").all() as { integrity_check: string }[];
    const found = rows.map(({ integrity_check }) => integrity_check).join("; ");
    if (found !== "ok") throw new Error(`the database is damaged: ${found}`);
    const orphans = db.query("PRAGMA foreign_key_check").all();
    if (orphans.length > 0) throw new Error(`the database is inconsistent: ${JSON.stringify(orphans)}`);
  } finally {
    db.close();
  }
}
