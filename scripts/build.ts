// Builds build/animal-store: the whole program as one file, Bun included. Usage: bun scripts/build.ts

import { mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import type { BunPlugin } from "bun";
import { ASSETS_PATH, bundlePages } from "../src/console/assets/bundle.ts";
import { bundleAccount } from "../src/http/pages/account/bundle.ts";
import type { BundledFile } from "../src/http/pages/bundled.ts";

const ROOT = join(import.meta.dir, "..");
/** A process builds in a folder with this prefix, followed by its process id. */
const DRAFT = "draft-";
export const ENTRIES = [
  "src/cli/main.ts",
  "src/thread.ts",
  "src/console-thread.ts",
  "src/store/sqlite/writer/writer-thread.ts",
  "src/store/sqlite/backup/backup-thread.ts",
];

/**
 * Builds the executable in a folder, unless there is one that is up to date. Its code is compiled
 * ahead of time, so it starts in half the time that the source files take.
 */
export async function build(folder: string): Promise<string> {
  const executable = join(folder, "animal-store");
  const note = join(folder, "made-of");
  const digest = await digestOfInputs();
  if ((await textOf(note)) === digest && (await Bun.file(executable).exists())) return executable;
  console.error("Building the program, because its source has changed or it has not been built yet.");
  const draft = join(folder, `${DRAFT}${process.pid}`);
  mkdirSync(draft, { recursive: true });
  removeAbandoned(folder);
  try {
    await Bun.build({
      entrypoints: ENTRIES.map((path) => join(ROOT, path)),
      // All in one folder, so that the script of a thread is found next to the code that starts it.
      naming: { entry: "[name].[ext]" },
      target: "bun",
      format: "esm",
      splitting: true,
      plugins: [bundledPages(await bundlePages(), await bundleAccount())],
      bytecode: true,
      sourcemap: "inline",
      compile: {
        outfile: join(draft, "animal-store"),
        // Files in the folder where it is started must not change what it runs.
        autoloadBunfig: false,
        autoloadDotenv: false,
        autoloadTsconfig: false,
        autoloadPackageJson: false,
        // Code that runs once at a start is not worth compiling: until src/cli/ resets this, a function is compiled only
        // after 20 times as many runs as usual. Threads are compiled as usual from their beginning.
        jitPolicy: 20,
      },
    });
    // Atomic: nobody ever starts half a file, and a running process keeps the old one.
    renameSync(join(draft, "animal-store"), executable);
  } finally {
    rmSync(draft, { recursive: true });
  }
  await Bun.write(note, digest);
  return executable;
}

/**
 * Puts the pages into the executable, as small as they get, in the place of what bundles them. Base64 is a third larger,
 * but only there. They are made beforehand: a build within a build never ends.
 */
function bundledPages(consoleFiles: readonly BundledFile[], accountFiles: readonly BundledFile[]): BunPlugin {
  const replaced: Readonly<Record<string, string>> = {
    "src/console/assets/bundle.ts": `export const ASSETS_PATH = ${JSON.stringify(ASSETS_PATH)};
      export const bundlePages = async () => ${literal(consoleFiles)};`,
    "src/http/pages/account/bundle.ts": `export const bundleAccount = async () => ${literal(accountFiles)};`,
  };
  const contentsOf = (path: string): string =>
    Object.entries(replaced).find(([file]) => path.replaceAll("\\", "/").endsWith(file))?.[1] as string;
  const filter = /[/\\]src[/\\](?:console[/\\]assets|http[/\\]pages[/\\]account)[/\\]bundle\.ts$/;
  return {
    name: "the pages that are bundled",
    setup: (builder) => void builder.onLoad({ filter }, ({ path }) => ({ loader: "ts", contents: contentsOf(path) })),
  };
}

function literal(files: readonly BundledFile[]): string {
  const bytes = (content: Uint8Array) => `Uint8Array.fromBase64("${Buffer.from(content).toString("base64")}")`;
  const each = files.map(
    ({ name, type, content }) =>
      `{ name: ${JSON.stringify(name)}, type: ${JSON.stringify(type)}, content: ${bytes(content)}, compressed: {
        br: ${bytes(brotliCompressSync(content))}, gzip: ${bytes(gzipSync(content, { level: 9 }))} } }`,
  );
  return `[${each.join(",")}]`;
}

/** Removes what interrupted builds left behind. */
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
 * A digest of everything that goes into the executable. npm's record of what it installed stands for the
 * packages. The platform is included because machines of different platforms may share the folder.
 */
async function digestOfInputs(): Promise<string> {
  const sources = [...new Bun.Glob("{src,console}/**").scanSync({ cwd: ROOT })].sort();
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
    console.error(
      `animal-store: cannot build the program: ${reason}\nTo run the source instead: npx animal-store serve`,
    );
    process.exit(1);
  }
}
