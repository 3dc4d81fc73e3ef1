import { tagOf } from "../../src/domain/tag.ts";
import type { Random } from "../common/random.ts";

/** A key whose secret is the same in every run, so that the same seed gives the same bytes. */
export const FUZZ_SECRET = "ask_TortureTortureTortureTortureTo2Hry77";

/** Forms of the secret in places where it does not belong. */
const HIDDEN_SECRETS = [
  FUZZ_SECRET,
  FUZZ_SECRET.replace("a", "%61"),
  FUZZ_SECRET.replace("_", "%5F"),
  FUZZ_SECRET.replace("To", "%54%6f"),
];

/** New animals get ids above this one, so that no fixed id in these requests refers to one of them. */
export const IDS_ABOVE = 8_000_000_000_000;

// Hostile values for paths, queries, headers and bodies.

export const INTEGERS = [
  "0",
  "1",
  "2",
  "-1",
  "-0",
  "+1",
  "00",
  "1.0",
  "1e0",
  "1E+2",
  "1e-1",
  "100e-2",
  "0.1",
  "9007199254740991",
  "9007199254740993",
  "999999999999999",
  "1000000000000000",
  "9223372036854775807",
  "9223372036854775808",
  "-9223372036854775808",
  "-9223372036854775809",
  "9223372036854775807.0",
  "92233720368547758070e-1",
  "1e18",
  "1e19",
  "1e400",
  "-1e400",
  "1e-400",
  "1e999999999",
  "0e999999999",
  "NaN",
  "Infinity",
  "0x10",
  "1_000",
  "٣",
  "１",
  "9".repeat(400),
  `1${"0".repeat(300)}e-300`,
  `0.${"0".repeat(300)}1e301`,
];

export const TEXTS = [
  "",
  " ",
  "Rex",
  "null",
  "true",
  "'; DROP TABLE animals; --",
  "%00",
  "\u0000",
  "\n",
  "\u007f",
  "\u0085",
  "\u00a0",
  "\u200b",
  "\u200d",
  "\u202e",
  "\u2066Rex\u2069",
  "\ufeff",
  "\uffff",
  "👩‍👩‍👧‍👦",
  "e\u0301",
  "ﷺ",
  "🐈".repeat(255),
  "🐈".repeat(256),
  "x".repeat(255),
  "x".repeat(256),
  "x".repeat(5_000),
  "__proto__",
  "constructor",
  "<script>alert(1)</script>",
  "../../etc/passwd",
  "{{7*7}}",
  "\\u0000",
  '"',
  "\\",
];

/** Strings that JSON.stringify would never write. */
export const RAW_JSON_STRINGS = [
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"\\u0000"',
  '"\\x"',
  '"\\u12"',
  '"tab\t"',
  "'Rex'",
  '"',
];

export const STATUSES = [
  "available",
  "pending",
  "sold",
  "placed",
  "approved",
  "delivered",
  "cancelled",
  "AVAILABLE",
  "x",
];

export const PARAMETER_NAMES = [
  "limit",
  "status",
  "cursor",
  "categoryId",
  "id",
  "petId",
  "sort",
  "name",
  "reference",
  "Limit",
  "limit[]",
  "__proto__",
  "",
  "x",
];

export const SORTS = ["id", "-id", "+id", "name", "-ID", "id,-id", "--id"];

const cursorByName = (id: string, name: string): string => `${id}.${Buffer.from(name).toString("base64url")}`;

/** Cursors of lists by id and by name, of release 1.0.0, and invalid ones. */
export const CURSORS = [
  "0000000000000000",
  "0000000000000032",
  "7fffffffffffffff",
  "8000000000000000",
  "FFFFFFFFFFFFFFFF",
  "00000000000000032",
  "YWZ0ZXI6NQ",
  "YWZ0ZXI6NQ==",
  cursorByName("0000000000000000", "animal"),
  cursorByName("7fffffffffffffff", "animal 5"),
  cursorByName("8000000000000000", "x".repeat(255)),
  cursorByName("0000000000000001", "İ".repeat(255).toLowerCase()),
  cursorByName("0000000000000001", "x".repeat(4_000)),
  cursorByName("0000000000000001", "a\u0000b"),
  cursorByName("0000000000000001", "\ud83d\udc08"),
  cursorByName("000000000000000", "animal"),
  "0000000000000001.",
  "0000000000000001._-8",
  "0000000000000001.YQ==",
  "0000000000000001.Y",
  "0000000000000001.YW5p.bWFs",
];

/** Values for If-Match and If-None-Match. The tag of an empty list is the only real one known in advance. */
export const TAGS = [
  "*",
  " * ",
  "*, *",
  '"x"',
  'W/"x"',
  'w/"x"',
  '""',
  '"',
  "x",
  ",",
  ",,,",
  '"a", "b"',
  '"a" "b"',
  '"a",,"b",',
  '"a\u00ff"',
  `"${tagOf("[]")}"`,
  `W/"${tagOf("[]")}"`,
  `"x", "${tagOf("[]")}"`,
  Array(100).fill('"x"').join(","),
  Array(250).fill('"x"').join(", "),
  `"${"x".repeat(1_200)}"`,
  `${" ".repeat(900)}"x"`,
  ",".repeat(1_000),
];

/** Prefixes for filters by name. */
export const PREFIXES = [
  "Animal",
  "ANIMAL",
  "animal 1",
  "a",
  "İ",
  "ß",
  "Σ",
  "é",
  "e\u0301",
  "%",
  "_",
  "*",
  "\\",
  "\u{10ffff}",
  "\uffff",
  "x".repeat(255),
  "x".repeat(256),
];

/** Escape sequences in a target, sent as they are. */
export const ENCODINGS = [
  "%20",
  "%00",
  "%0d%0a",
  "%2e%2e",
  "%2f",
  "%25",
  "%",
  "%f",
  "%zz",
  "%c0%af",
  "%ff",
  "%ed%a0%80",
  "%f0%9f%90%88",
  "%E2%80%AE",
  "+",
  "..",
  "//",
  ";a=b",
  "&",
  "=",
  "?",
  "*",
  "~",
  "'",
];

export const SEGMENTS = [
  ...HIDDEN_SECRETS,
  "1",
  "2",
  "42",
  "abc",
  ".",
  "..",
  "-",
  "%31",
  "1%00",
  "1;v=2",
  "1,2",
  "[1]",
  "{petId}",
  "{categoryId}",
  ":petId",
  "*",
];

/** An integer from 0 up to, but not including, the limit. */
export const below = (random: Random, limit: number): number => random.int(0, limit - 1);

/** Usually the id of an animal that was created during the run, and perhaps deleted since. */
export const animalId = (random: Random): number =>
  random.chance(0.9) ? IDS_ABOVE + 1 + below(random, random.pick([50, 500, 5_000])) : below(random, 500);
