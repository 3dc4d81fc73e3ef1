import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

/** The content of a page that is the same for everyone. */
interface AssetParts {
  readonly content: Blob;
  /** Differs when the content does. */
  readonly tag: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Compressed by the build. */
  readonly compressed?: Readonly<Record<Encoding, Uint8Array<ArrayBuffer>>> | undefined;
}

type Encoding = "br" | "gzip";

const compressors: Record<Encoding, (bytes: Uint8Array) => Promise<Uint8Array<ArrayBuffer>>> = {
  // The default quality, 11, takes many seconds of CPU for the last few percent.
  br: (bytes) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: (bytes) => promisify(gzip)(bytes),
};

/** A page that needs nothing but the request. */
export type AssetPage = (request: Request) => Promise<Response>;

/** Compresses the content on first use, on another thread, and keeps the result. Answers 304 to caches that have it. */
export function asset({ content, tag, headers, compressed: given }: AssetParts): AssetPage {
  const etag = `W/"${tag}"`;
  const always = { ...headers, ETag: etag, Vary: "Accept-Encoding" };
  const compressed = new Map<Encoding, Promise<Blob>>();

  const compress = async (encoding: Encoding): Promise<Blob> =>
    new Blob([given?.[encoding] ?? (await compressors[encoding](await content.bytes()))]);
  const inEncoding = (encoding: Encoding): Promise<Blob> =>
    compressed.getOrInsertComputed(encoding, () => {
      const body = compress(encoding);
      // The next request tries again.
      body.catch(() => compressed.delete(encoding));
      return body;
    });

  return async ({ headers: asked }) => {
    if (isNamed(etag, asked.get("if-none-match"))) return new Response(null, { status: 304, headers: always });
    const encoding = encodingFor(asked.get("accept-encoding"));
    return encoding
      ? new Response(await inEncoding(encoding), { headers: { ...always, "Content-Encoding": encoding } })
      : new Response(content, { headers: always });
  };
}

/** Returns whether If-None-Match lists a tag; proxies may have made it a strong one. */
function isNamed(etag: string, ifNoneMatch: string | null): boolean {
  if (ifNoneMatch === null) return false;
  const opaque = (tag: string): string => tag.trim().replace(/^W\//, "");
  return ifNoneMatch.trim() === "*" || ifNoneMatch.split(",").some((tag) => opaque(tag) === opaque(etag));
}

/** The best encoding that Accept-Encoding allows; undefined: none. */
function encodingFor(acceptEncoding: string | null): Encoding | undefined {
  const accepted = new Set(
    (acceptEncoding ?? "")
      .toLowerCase()
      .split(",")
      .map((item) => item.split(";").map((part) => part.trim()))
      .filter(([, weight]) => !/^q=0(?:\.0*)?$/.test(weight ?? ""))
      .map(([name]) => name),
  );
  return (["br", "gzip"] as const).find((encoding) => accepted.has(encoding));
}
