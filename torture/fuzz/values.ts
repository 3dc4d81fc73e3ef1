import { tagOf } from "../../src/domain/tag.ts";
import type { Random } from "../common/random.ts";

/** A key whose secret is the same in every run, so that the same seed gives the same bytes. */
export const FUZZ_SECRET = "ask_TortureTortureTortureTortureTo2Hry77";

/** Somebody may put it where it does not belong. */
const HIDDEN_SECRETS = [
  FUZZ_SECRET,
  FUZZ_SECRET.replace("a", "%61"),
  FUZZ_SECRET.replace("_", "%5F"),
  FUZZ_SECRET.replace("To", "%54%6f"),
];

/** Animals that are created while it runs have ids above this one, so that none of these requests means another animal. */
export const IDS_ABOVE = 8_000_000_000_000;

// What a client can put into a path, a query, a header or a body to see whether anything gives way.

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

/** Texts that JSON.stringify would never write. */
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

/** Of lists by id, of lists by name, of release 1.0.0, and what only looks like one. */
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

/** What an If-Match or If-None-Match header can have: the tag of an empty list is the one that everybody knows. */
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

/** What a list can be filtered by the beginning of. */
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

/** In a target, as they are sent. */
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

/** A whole number from 0 up to, but not including, the limit. */
export const below = (random: Random, limit: number): number => random.int(0, limit - 1);

/** Mostly that of an animal which was created while it runs, and perhaps deleted since. */
export const animalId = (random: Random): number =>
  random.chance(0.9) ? IDS_ABOVE + 1 + below(random, random.pick([50, 500, 5_000])) : below(random, 500);
