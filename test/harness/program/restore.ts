import { expect } from "bun:test";
import { copyFileSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { openForCommand } from "../../../src/store/sqlite/store.ts";
import { temporaryFolder } from "../folder.ts";
import { openDatabaseFile } from "../rows/sqlite.ts";
import { EXECUTABLE, issueBoundlessKey, type Outcome, postAnimal, run, serve } from "./program.ts";

const ASIDE = /^animal-store-before-restore-\d{8}T\d{6}\.\d{3}Z\.db$/;

export const command = (args: readonly string[], cwd: string, env: Record<string, string> = {}, wrap: string[] = []) =>
  run(args, { cwd, env, program: [...wrap, EXECUTABLE] });

export const restore = (file: string, cwd: string, args: readonly string[] = []): Promise<Outcome> =>
  command(["restore", file, "--yes", ...args], cwd);

export interface Store {
  readonly cwd: string;
  readonly file: string;
  /** A backup from before the animal called New. */
  readonly backup: string;
}

/** A store whose last writes are only in its WAL, as after a crash, and an older backup of it. */
async function crashedStore(): Promise<Store> {
  const cwd = temporaryFolder();
  const secret = await issueBoundlessKey({ cwd });
  const service = await serve({ cwd });
  await postAnimal(service, secret, "Old");
  const backup = join(cwd, "backup.db");
  await command(["backup", backup], cwd);
  await postAnimal(service, secret, "New");
  await service.kill("SIGKILL");
  const file = join(cwd, "data/animal-store.db");
  expect(statSync(`${file}-wal`).size).toBeGreaterThan(0);
  return { cwd, file, backup };
}

export const prepared = await crashedStore();

/** Copies the prepared store to a new folder. */
export function copyOf(original = prepared): Store {
  const cwd = temporaryFolder();
  mkdirSync(join(cwd, "data"));
  const file = join(cwd, "data/animal-store.db");
  for (const end of ["", "-wal"]) copyFileSync(original.file + end, file + end);
  const backup = join(cwd, "backup.db");
  copyFileSync(original.backup, backup);
  return { cwd, file, backup };
}

/** Opens the file like a command: with a WAL that belongs to it, or not at all. */
export async function animalsIn(file: string): Promise<string[]> {
  await (await openForCommand(file, { create: false })).close();
  const db = openDatabaseFile(file);
  try {
    expect(db.query("PRAGMA integrity_check").values()).toEqual([["ok"]]);
    return db.query("SELECT name FROM animals ORDER BY id").values().flat() as string[];
  } finally {
    db.close(true);
  }
}

export const asideIn = (cwd: string): string[] =>
  readdirSync(join(cwd, "data"))
    .filter((name) => ASIDE.test(name))
    .map((name) => join(cwd, "data", name));
