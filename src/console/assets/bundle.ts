import { join } from "node:path";

// The bundled pages. From source, they are bundled on first use; scripts/build.ts does it beforehand, and replaces this
// file by the result in the executable.

/** The page itself, or a file that it loads. */
export interface BundledFile {
  /** Contains a digest of the content, unless it is the page. */
  readonly name: string;
  readonly type: string;
  readonly content: Uint8Array<ArrayBuffer>;
  /** Compressed by the build. */
  readonly compressed?: { readonly br: Uint8Array<ArrayBuffer>; readonly gzip: Uint8Array<ArrayBuffer> };
}

export const PAGE_NAME = "index.html";

/** The files load each other from here, unless the console is below another path. */
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
