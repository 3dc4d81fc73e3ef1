import { readFileSync, writeFileSync } from "node:fs";

/** Numbers from 0 up to a limit, the same in each run. */
export function sequence(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

const PAGE_SIZE = 4096;

/** Ways in which disks and people damage a file. */
export const DAMAGES: Readonly<Record<string, (bytes: Buffer, random: (limit: number) => number) => Buffer>> = {
  "a flipped bit": (bytes, random) => {
    const at = random(bytes.length);
    bytes[at] = (bytes[at] as number) ^ (1 << random(8));
    return bytes;
  },
  "a zeroed page": (bytes, random) => {
    const at = random(bytes.length / PAGE_SIZE) * PAGE_SIZE;
    return bytes.fill(0, at, at + PAGE_SIZE);
  },
  "a sector of garbage": (bytes, random) => {
    const at = random(bytes.length / 512) * 512;
    for (let i = at; i < at + 512; i++) bytes[i] = random(256);
    return bytes;
  },
  "a page from elsewhere": (bytes, random) => {
    const [from, to] = [random(bytes.length / PAGE_SIZE) * PAGE_SIZE, random(bytes.length / PAGE_SIZE) * PAGE_SIZE];
    bytes.copy(bytes, to, from, from + PAGE_SIZE);
    return bytes;
  },
  "a missing end": (bytes, random) => bytes.subarray(0, random(bytes.length)),
};

/** Writes a damaged copy of a file. Returns whether it differs at all. */
export function damageFile(from: string, to: string, kind: string, random: (limit: number) => number): boolean {
  const original = readFileSync(from);
  const damaged = (DAMAGES[kind] as (typeof DAMAGES)[string])(Buffer.from(original), random);
  writeFileSync(to, damaged);
  return !damaged.equals(original);
}
