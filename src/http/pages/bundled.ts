/** A page that was bundled, or a file that it loads. */
export interface BundledFile {
  /** Contains a digest of the content, unless it is the page. */
  readonly name: string;
  readonly type: string;
  readonly content: Uint8Array<ArrayBuffer>;
  /** Compressed by the build. */
  readonly compressed?: { readonly br: Uint8Array<ArrayBuffer>; readonly gzip: Uint8Array<ArrayBuffer> };
}

/** The name of every page among its files. */
export const PAGE_NAME = "index.html";

/** Bundles a page with all that it loads; the files load each other from a path. */
export async function bundleFrom(
  folder: string,
  publicPath: string,
  { splitting }: { readonly splitting: boolean },
): Promise<readonly BundledFile[]> {
  const { outputs } = await Bun.build({
    entrypoints: [`${folder}/${PAGE_NAME}`],
    target: "browser",
    minify: true,
    splitting,
    publicPath,
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
