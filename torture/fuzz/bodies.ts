import type { Random } from "../common/random.ts";
import { animalId, below, INTEGERS, RAW_JSON_STRINGS, STATUSES, TEXTS } from "./values.ts";

/** A body for POST, PUT or PATCH. Most are nearly valid, because those get furthest. */
export function bodyBytes(random: Random, path: string): Uint8Array {
  const kind = below(random, 20);
  if (kind < 12) return encode(nearlyRight(random, path));
  if (kind < 15) return encode(anyJson(random, 4));
  if (kind < 16) return encode(tower(random));
  if (kind < 17) return encode(crowd(random));
  if (kind < 18) return corrupted(random, encode(nearlyRight(random, path)));
  if (kind < 19) return random.bytes(below(random, 200));
  return new Uint8Array(random.pick([0, 1, 65_535, 65_536, 65_537, 70_000])).fill(0x20);
}

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

const RIGHT_NAMES = [
  "Rex",
  "REX",
  "rex",
  "Zoë",
  "Zoe\u0308",
  "Straße",
  "STRASSE",
  "İzmir",
  "ΟΔΟΣ",
  "\u{1f408}",
  "\uffee",
];

function nearlyRight(random: Random, path: string): string {
  // Half of them are entirely valid, so that later requests find something.
  if (random.chance(0.5)) return `{${rightMembers(random, path)}}`;
  const members = membersFor(random, path);
  if (random.chance(0.1)) members.push([random.pick(["id", "name", "__proto__", "x", ""]), anyJson(random, 1)]);
  if (random.chance(0.05)) members.shift();
  const space = random.pick(["", "", " ", "\r\n", "\t"]);
  return `{${members.map(([name, value]) => `${space}${JSON.stringify(name)}:${space}${value}`).join(",")}${space}}`;
}

function rightMembers(random: Random, path: string): string {
  const name = `"name":${JSON.stringify(random.pick(RIGHT_NAMES))}`;
  if (path.startsWith("/v1/categories")) return name;
  if (path.startsWith("/v1/store/orders/")) return `"status":"${random.pick(["approved", "delivered", "cancelled"])}"`;
  if (path.startsWith("/v1/store")) return `"petId":${animalId(random)},"reference":"ref ${below(random, 50)}"`;
  const status = `"status":"${random.pick(["available", "pending", "sold"])}"`;
  if (path.startsWith("/v1/pets/")) return random.pick([name, status, `${name},${status}`, '"categoryId":5']);
  return `${name},"categoryId":${below(random, 20)}`;
}

function membersFor(random: Random, path: string): (readonly [string, string])[] {
  const status = ["status", statusJson(random)] as const;
  if (path.startsWith("/v1/categories")) return [["name", nameJson(random)]];
  if (path.startsWith("/v1/store/orders/")) return [status];
  if (path.startsWith("/v1/store")) {
    const petId = ["petId", random.chance(0.6) ? String(animalId(random)) : integerJson(random)] as const;
    return random.chance(0.5) ? [petId] : [petId, ["reference", nameJson(random)]];
  }
  const fields = [["name", nameJson(random)] as const, ["categoryId", integerJson(random)] as const, status];
  // An update has some of the fields, and a new animal may lack the status.
  if (path.startsWith("/v1/pets/")) return fields.filter(() => random.chance(0.5));
  return random.chance(0.3) ? fields : fields.slice(0, 2);
}

const nameJson = (random: Random): string => (random.chance(0.6) ? `"Animal ${below(random, 1e9)}"` : textJson(random));

const integerJson = (random: Random): string =>
  random.chance(0.6) ? String(1 + below(random, 500)) : random.chance(0.8) ? random.pick(INTEGERS) : anyJson(random, 1);

const statusJson = (random: Random): string =>
  random.chance(0.9) ? JSON.stringify(random.pick(STATUSES)) : anyJson(random, 1);

const textJson = (random: Random): string =>
  random.chance(0.8) ? JSON.stringify(random.pick(TEXTS)) : random.pick(RAW_JSON_STRINGS);

function anyJson(random: Random, depth: number): string {
  const kind = below(random, depth > 0 ? 7 : 4);
  if (kind === 0) return textJson(random);
  if (kind === 1) return random.pick(INTEGERS);
  if (kind === 2) return random.pick(["null", "true", "false", "nul", "undefined", ""]);
  if (kind === 3) return `"${String.fromCodePoint(0x20 + below(random, 0xd7_00))}"`;
  const items = Array.from({ length: below(random, 5) }, () => anyJson(random, depth - 1));
  if (kind === 4) return `[${items.join(",")}]`;
  return `{${items.map((item) => `${JSON.stringify(random.pick(TEXTS))}:${item}`).join(",")}}`;
}

/** JSON nested as deep as the size allows. */
function tower(random: Random): string {
  const height = 1 + below(random, 30_000);
  return random.chance(0.5)
    ? "[".repeat(height) + "]".repeat(height)
    : `${'{"a":'.repeat(height >> 2)}1${"}".repeat(height >> 2)}`;
}

/** An object with many members. */
function crowd(random: Random): string {
  const count = below(random, 6_000);
  return `{${Array.from({ length: count }, (_, i) => `"k${random.chance(0.5) ? i : 0}":1.0`).join(",")}}`;
}

function corrupted(random: Random, bytes: Uint8Array): Uint8Array {
  const copy = bytes.slice();
  for (let times = 1 + below(random, 3); times > 0 && copy.length > 0; times--)
    copy[below(random, copy.length)] = below(random, 256);
  return copy;
}
