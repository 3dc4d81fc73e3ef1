import { join } from "node:path";
import { type BundledFile, bundleFrom } from "../bundled.ts";

// The bundled page. From source, it is bundled on first use; scripts/build.ts does it beforehand, and replaces this file
// by the result in the executable.

/** Relative to the page, wherever a proxy has put it. */
export const ASSETS_PATH = "./account/";

export const bundleAccount = (): Promise<readonly BundledFile[]> =>
  bundleFrom(join(import.meta.dir, "../../../../console/account"), ASSETS_PATH, { splitting: false });
