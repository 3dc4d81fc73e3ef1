import { join } from "node:path";

// The pages as a browser gets them. From source they are bundled when they are first asked for; scripts/build.ts does
// it beforehand, and puts what comes of it into the executable in the place of this file.

/** A file of the pages: the page itself, or something that it loads. */
export interface BundledFile {
  /** With a digest of its content in it, unless it is the page. */
  readonly name: string;
  readonly type: string;
  readonly content: Uint8Array<ArrayBuffer>;
  /** Made by the build. */
  readonly compressed?: { readonly br: Uint8Array<ArrayBuffer>; readonly gzip: Uint8Array<ArrayBuffer> };
}

export const PAGE_NAME = "index.html";

/** Where the files load each other from, until somebody knows better. */
export const ASSETS_PATH = "/console/assets/";

export async function bundlePages(): Promise<readonly BundledFile[]> {
  const { outputs } = await Bun.build({
    entrypoints: [join(import.meta.dir, "../../../console", PAGE_NAME)],
    target: "browser",
    minify: true,
    splitting: true,
    publicPath: ASSETS_PATH,
    define: { "process.env.NODE_ENV": '"production"' },
    naming: { entry: "[name].[ext]", chunk: "[name]-[hash].[ext]", asset: "[name]-[hash].[ext]" },
  });
  return Promise.all(
    outputs.map(async (output) => ({
      name: output.path.replace(/^\.\//, ""),
      type: output.type,
      content: new Uint8Array(await output.arrayBuffer()),
    })),
  );
}
