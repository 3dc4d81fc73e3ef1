import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../../test/harness/folder.ts";
import { PACKED } from "./package.ts";

/** Bundles the checks into one module that imports the client by its package name. */
export async function bundleSuite(): Promise<string> {
  const { outputs } = await Bun.build({
    entrypoints: [join(import.meta.dir, "../everywhere/suite.ts")],
    external: ["animal-store-client", "animal-store-client/testing"],
    target: "browser",
    format: "esm",
  });
  return (outputs[0] as Blob).text();
}

/** Creates a project with the client installed. */
export function projectWithClient(): string {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(PACKED.folder, join(folder, "node_modules/animal-store-client"));
  const manifest = { type: "module", dependencies: { "animal-store-client": "*" } };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  return folder;
}
