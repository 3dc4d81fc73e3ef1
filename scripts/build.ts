// Makes build/animal-store: the whole program as one file, with Bun in it. Usage: bun scripts/build.ts

import { mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "..");
/** The beginning of the name of a folder in which a process builds; its id is the end. */
const DRAFT = "draft-";
const ENTRIES = ["src/cli/main.ts", "src/store/sqlite/writer-thread.ts"];

/**
 * Builds the executable in a folder, unless it is there and made of what the source is now. Its code
 * is compiled ahead of time, so it starts in half the time that the source files take.
 */
export async function build(folder: string): Promise<string> {
  const executable = join(folder, "animal-store");
  const note = join(folder, "made-of");
  const digest = await digestOfInputs();
  if ((await textOf(note)) === digest && (await Bun.file(executable).exists())) return executable;
  console.error("Building the program: the first time, and whenever its source has changed.");
  const draft = join(folder, `${DRAFT}${process.pid}`);
  mkdirSync(draft, { recursive: true });
  removeAbandoned(folder);
  try {
    await Bun.build({
      entrypoints: ENTRIES.map((path) => join(ROOT, path)),
      // All side by side, so that a thread's script is found beside whoever starts it, as in the source.
      naming: { entry: "[name].[ext]" },
      target: "bun",
      format: "esm",
      splitting: true,
      bytecode: true,
      sourcemap: "inline",
      compile: { outfile: join(draft, "animal-store") },
    });
    // At once: nobody ever starts half of it, and what runs already keeps the old one.
    renameSync(join(draft, "animal-store"), executable);
  } finally {
    rmSync(draft, { recursive: true });
  }
  await Bun.write(note, digest);
  return executable;
}

/** What was left by a build that was interrupted. */
function removeAbandoned(folder: string): void {
  for (const draft of new Bun.Glob(`${DRAFT}*`).scanSync({ cwd: folder, onlyFiles: false }))
    if (!isRunning(Number(draft.slice(DRAFT.length)))) rmSync(join(folder, draft), { recursive: true });
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/**
 * Of all that goes into the executable. The packages count by npm's own note of what it installed, and
 * the system because a folder may be shared with another one.
 */
async function digestOfInputs(): Promise<string> {
  const sources = [...new Bun.Glob("src/**").scanSync({ cwd: ROOT })].sort();
  const hasher = new Bun.CryptoHasher("sha256").update(`${process.platform} ${process.arch}\0`);
  for (const path of ["scripts/build.ts", "package.json", "node_modules/.package-lock.json", ...sources])
    hasher.update(`${path}\0`).update((await textOf(join(ROOT, path))) ?? "");
  return hasher.digest("hex");
}

async function textOf(path: string): Promise<string | undefined> {
  const file = Bun.file(path);
  return (await file.exists()) ? await file.text() : undefined;
}

if (import.meta.main) {
  try {
    await build(join(ROOT, "build"));
  } catch (error) {
    const reason = error instanceof AggregateError ? error.errors.join("\n") : (error as Error).message;
    console.error(`animal-store: cannot build the program: ${reason}\nWithout it: npx animal-store serve`);
    process.exit(1);
  }
}
