/** A library that Bun links or embeds. A licence is an SPDX expression, or a sentence where there is none for it. */
export interface Embedded {
  readonly name: string;
  readonly license: string;
  readonly source: string;
  /** A version or a commit, where Bun tells it. */
  readonly version?: string;
}

const github = (repository: string) => `https://github.com/${repository}`;

/** The libraries whose version or commit Bun tells, by their names in process.versions. */
const TOLD: Readonly<Record<string, Embedded>> = {
  ares: { name: "c-ares", license: "MIT", source: github("c-ares/c-ares") },
  boringssl: {
    name: "BoringSSL",
    license: "several, listed in its file LICENSE",
    source: "https://boringssl.googlesource.com/boringssl",
  },
  icu: { name: "ICU", license: "Unicode-3.0", source: github("unicode-org/icu") },
  libarchive: {
    name: "libarchive",
    license: "BSD-2-Clause, and others that are listed in its file COPYING",
    source: github("libarchive/libarchive"),
  },
  libdeflate: { name: "libdeflate", license: "MIT", source: github("ebiggers/libdeflate") },
  llhttp: { name: "llhttp", license: "MIT", source: github("nodejs/llhttp") },
  lolhtml: { name: "lol-html", license: "BSD-3-Clause", source: github("cloudflare/lol-html") },
  lshpack: { name: "ls-hpack", license: "MIT", source: github("litespeedtech/ls-hpack") },
  mimalloc: { name: "mimalloc", license: "MIT", source: github("microsoft/mimalloc") },
  picohttpparser: {
    name: "picohttpparser",
    license: "MIT OR Artistic-1.0-Perl",
    source: github("h2o/picohttpparser"),
  },
  sqlite: { name: "SQLite", license: "blessing", source: "https://sqlite.org" },
  tinycc: { name: "TinyCC", license: "LGPL-2.1-only", source: github("tinycc/tinycc") },
  usockets: { name: "uSockets", license: "Apache-2.0", source: github("uNetworking/uSockets") },
  uwebsockets: { name: "uWebSockets", license: "Apache-2.0", source: github("uNetworking/uWebSockets") },
  webkit: { name: "WebKit (JavaScriptCore)", license: "LGPL-2.0-only", source: github("oven-sh/WebKit") },
  zig: { name: "Zig's standard library", license: "MIT", source: github("oven-sh/zig") },
  zlib: { name: "zlib-ng", license: "Zlib", source: github("zlib-ng/zlib-ng") },
  zstd: { name: "zstd", license: "BSD-3-Clause OR GPL-2.0-only", source: github("facebook/zstd") },
};

/** Further entries of process.versions: Bun itself, and the versions of interfaces that it is compatible with. */
const NO_LIBRARIES = ["bun", "modules", "napi", "node", "openssl", "typescript", "unicode", "uv", "v8"];

/** Further parts in Bun's own list of licences, and Rust's library, which its executable shows to be there. */
const UNTOLD: readonly Embedded[] = [
  { name: "base64", license: "BSD-2-Clause", source: github("aklomp/base64") },
  { name: "Brotli", license: "MIT", source: github("google/brotli") },
  { name: "esbuild (ported)", license: "MIT", source: github("evanw/esbuild") },
  { name: "Highway", license: "Apache-2.0", source: github("google/highway") },
  { name: "libc++abi", license: "Apache-2.0 WITH LLVM-exception", source: github("llvm/llvm-project") },
  {
    name: "libjpeg-turbo",
    license: "BSD-3-Clause AND IJG AND Zlib",
    source: github("libjpeg-turbo/libjpeg-turbo"),
  },
  { name: "libspng", license: "BSD-2-Clause", source: github("randy408/libspng") },
  { name: "libwebp", license: "BSD-3-Clause", source: github("webmproject/libwebp") },
  { name: "ls-qpack", license: "MIT", source: github("litespeedtech/ls-qpack") },
  { name: "lsquic", license: "MIT AND BSD-3-Clause", source: github("litespeedtech/lsquic") },
  { name: "Rust's standard library", license: "MIT OR Apache-2.0", source: github("rust-lang/rust") },
  { name: "simdutf", license: "Apache-2.0", source: github("simdutf/simdutf") },
  { name: "TigerBeetle (parts)", license: "Apache-2.0", source: github("tigerbeetle/tigerbeetle") },
  { name: "uucode", license: "MIT", source: github("jacobsandlund/uucode") },
];

/** Packages that Bun embeds for programs that import modules of Node, all under the MIT licence. */
const POLYFILLS = `acorn acorn-walk assert browserify-zlib buffer constants-browserify crypto-browserify domain-browser
  events https-browserify os-browserify path-browserify process punycode querystring-es3 stream-browserify stream-http
  string_decoder timers-browserify tty-browserify url util vm-browserify`.split(/\s+/);

/** All that Bun contains. A version of Bun that tells of something unknown is an error, so that the list stays whole. */
export function embeddedInBun(versions: Readonly<Record<string, string | undefined>>): Embedded[] {
  const unknown = Object.keys(versions).filter((key) => !(Object.hasOwn(TOLD, key) || NO_LIBRARIES.includes(key)));
  if (unknown.length > 0)
    throw new Error(`Bun contains something new: ${unknown.join(", ")}. Say in scripts/sbom/runtime.ts what it is.`);
  const told = Object.entries(TOLD).flatMap(([key, library]) =>
    versions[key] === undefined ? [] : [{ ...library, version: versions[key] }],
  );
  const polyfills = POLYFILLS.map((name) => ({ name, license: "MIT", source: `https://npmjs.com/package/${name}` }));
  return [...told, ...UNTOLD, ...polyfills];
}
