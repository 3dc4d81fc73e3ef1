import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import supported from "../../fleet/supported-release.json" with { type: "json" };

const ROOT = join(import.meta.dir, "../../..");

/** The oldest release that must run beside this version; without an executable where there is no Git history. */
export function supportedRelease(): { readonly version: string; readonly executable: string | undefined } {
  const { version, revision } = supported;
  const what = `revision ${revision} of release ${version}, which test/fleet/supported-release.json names,`;
  return { version, executable: hasHistory(revision) ? executableOf(revision, what) : undefined };
}

/** The text of one of its files. Call it only if there is an executable. */
export const fileOfSupportedRelease = (path: string): string =>
  git("show", `${supported.revision}:${path}`).stdout.toString();

/** A copy without .git has no history, and a shallow clone only its end. */
function hasHistory(revision: string): boolean {
  if (!existsSync(join(ROOT, ".git")) || !Bun.which("git")) return false;
  const isShallow = git("rev-parse", "--is-shallow-repository").stdout.toString().trim() === "true";
  return !isShallow || git("cat-file", "-e", `${revision}^{commit}`).success;
}

const git = (...words: string[]) => Bun.spawnSync(["git", ...words], { cwd: ROOT, stderr: "ignore" });

/** The executable of a revision, built from its files once per checkout. */
export function executableOf(revision: string, what = `revision ${revision}`): string {
  const commit = commitOf(revision, what);
  const folder = join(ROOT, "build/releases", `${commit}-${process.platform}-${process.arch}`);
  const executable = join(folder, "build/animal-store");
  if (!existsSync(executable)) {
    const draft = `${folder}-${process.pid}`;
    try {
      mkdirSync(draft, { recursive: true });
      command(["sh", "-c", `git archive ${commit} | tar -x -C '${draft}'`], ROOT);
      install(draft);
      command([join(draft, "node_modules/.bin/bun"), "scripts/build.ts"], draft);
      renameSync(draft, folder);
    } catch (error) {
      rmSync(draft, { recursive: true, force: true });
      // Another process may have built it first.
      if (!existsSync(executable)) throw error;
    }
  }
  return executable;
}

function commitOf(revision: string, what: string): string {
  const { success, stdout } = git("rev-parse", "--quiet", "--verify", "--end-of-options", `${revision}^{commit}`);
  if (!success)
    throw new Error(`${what} is not in this clone: run git fetch --unshallow, or git fetch origin ${revision}`);
  return stdout.toString().trim();
}

/** Reuses the packages of this version if they are the same. */
function install(draft: string): void {
  const lockOf = (folder: string): string => readFileSync(join(folder, "package-lock.json"), "utf8");
  if (lockOf(draft) === lockOf(ROOT)) symlinkSync(join(ROOT, "node_modules"), join(draft, "node_modules"));
  else command(["npm", "ci", "--omit=dev", "--no-audit", "--no-fund"], draft);
}

function command(words: string[], cwd: string): void {
  const { success, stderr, stdout } = Bun.spawnSync(words, { cwd, stdout: "pipe", stderr: "pipe" });
  if (!success) throw new Error(`${words.join(" ")} failed in ${cwd}: ${stdout}${stderr}`);
}
