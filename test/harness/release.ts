import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import supported from "../fleet/supported-release.json" with { type: "json" };

const ROOT = join(import.meta.dir, "../..");

export interface Release {
  readonly version: string;
  readonly executable: string;
}

/** The executable of the oldest release that must run beside this version, built from its revision once per machine. */
export function supportedRelease(): Release {
  const { version, revision } = supported;
  const folder = join(tmpdir(), `animal-store-${revision}-${process.platform}-${process.arch}`);
  const executable = join(folder, "build/animal-store");
  if (!existsSync(executable)) {
    const draft = `${folder}-${process.pid}`;
    try {
      checkOut(draft, version, revision);
      install(draft);
      command([join(draft, "node_modules/.bin/bun"), "scripts/build.ts"], draft);
      renameSync(draft, folder);
    } catch (error) {
      rmSync(draft, { recursive: true, force: true });
      // Another process may have been faster.
      if (!existsSync(executable)) throw error;
    }
  }
  return { version, executable };
}

function checkOut(draft: string, version: string, revision: string): void {
  if (!Bun.spawnSync(["git", "cat-file", "-e", `${revision}^{commit}`], { cwd: ROOT }).success)
    throw new Error(
      `revision ${revision} of release ${version}, which test/fleet/supported-release.json names, is not in this clone: run git fetch --unshallow, or git fetch origin ${revision}`,
    );
  mkdirSync(draft);
  command(["sh", "-c", `git archive ${revision} | tar -x -C '${draft}'`], ROOT);
}

/** With the packages of this version, if they are the same. */
function install(draft: string): void {
  const lockOf = (folder: string): string => readFileSync(join(folder, "package-lock.json"), "utf8");
  if (lockOf(draft) === lockOf(ROOT)) symlinkSync(join(ROOT, "node_modules"), join(draft, "node_modules"));
  else command(["npm", "ci", "--omit=dev", "--no-audit", "--no-fund"], draft);
}

function command(words: string[], cwd: string): void {
  const { success, stderr, stdout } = Bun.spawnSync(words, { cwd, stdout: "pipe", stderr: "pipe" });
  if (!success) throw new Error(`${words.join(" ")} failed in ${cwd}: ${stdout}${stderr}`);
}
