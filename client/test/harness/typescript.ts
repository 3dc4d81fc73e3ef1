import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { temporaryFolder } from "../../../test/harness/folder.ts";
import { PACKED } from "./package.ts";

const require = createRequire(import.meta.url);
const packageFolder = (name: string, from = require): string => dirname(from.resolve(`${name}/package.json`));
const attwCore = createRequire(
  createRequire(require.resolve("@arethetypeswrong/cli/package.json")).resolve("@arethetypeswrong/core"),
);

/** The compilers of users: the one of this repository, and the one that @arethetypeswrong/cli brings. */
export const COMPILERS = {
  "TypeScript 7": join(packageFolder("typescript"), "bin/tsc"),
  "TypeScript 5": join(packageFolder("typescript", attwCore), "bin/tsc"),
} as const;
export type Compiler = keyof typeof COMPILERS;

/** The last TypeScript with a JavaScript API. */
export const typescript5 = packageFolder("typescript", attwCore);

/** Creates a package that depends on the published client, on undici and on the types of Node 20. */
export function newConsumer(files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "node_modules/@types"), { recursive: true });
  symlinkSync(PACKED.folder, join(folder, "node_modules/animal-store-client"));
  symlinkSync(packageFolder("undici"), join(folder, "node_modules/undici"));
  symlinkSync(packageFolder("node-20-types"), join(folder, "node_modules/@types/node"));
  for (const [name, text] of Object.entries({ "package.json": '{ "type": "module" }', ...files }))
    writeFileSync(join(folder, name), text);
  return folder;
}

const STRICTEST = {
  target: "es2022",
  noEmit: true,
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  verbatimModuleSyntax: true,
  skipLibCheck: false,
};

/** Compiler options of Node programs that read `process.env` in the usual way. */
export const NODE = { module: "nodenext", types: ["node"], noPropertyAccessFromIndexSignature: false };

/** The compiler's errors about a package; empty if there are none. */
export async function complaints(compiler: Compiler, folder: string, options: object): Promise<string> {
  const config = { compilerOptions: { ...STRICTEST, ...options }, include: ["*.ts"] };
  const path = join(folder, `tsconfig.${crypto.randomUUID()}.json`);
  await Bun.write(path, JSON.stringify(config));
  const child = Bun.spawn(["node", COMPILERS[compiler], "--project", path, "--pretty", "false"], {
    cwd: folder,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "inherit",
  });
  return child.stdout.text();
}

/** The declarations of the client as it is published. */
export const PACKED_TYPES = join(PACKED.folder, "dist/index.d.ts");
