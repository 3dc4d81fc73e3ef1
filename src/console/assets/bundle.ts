import { join } from "node:path";
import { type BundledFile, bundleFrom } from "../../http/pages/bundled.ts";

// The bundled pages. From source, they are bundled on first use; scripts/build.ts does it beforehand, and replaces this
// file by the result in the executable.

/** The files load each other from here, unless the console is below another path. */
export const ASSETS_PATH = "/console/assets/";

export const bundlePages = (): Promise<readonly BundledFile[]> =>
  bundleFrom(join(import.meta.dir, "../../../console"), ASSETS_PATH, { splitting: true });
