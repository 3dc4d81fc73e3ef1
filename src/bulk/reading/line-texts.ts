import type { Source } from "./source.ts";
import { textBlocks } from "./text.ts";

/** A longer line is cut. */
const MAX_CHARACTERS = 300;

/**
 * The text of some lines of a file, by their numbers, from 1. Nothing is read behind the last of them, and lines that
 * do not exist are left out.
 */
export async function lineTexts(source: Source, lines: readonly number[]): Promise<ReadonlyMap<number, string>> {
  const texts = new Map<number, string>();
  const wanted = new Set(lines);
  const last = Math.max(0, ...lines);
  if (last === 0) return texts;
  for await (const { text, line } of textBlocks(source.blocks(), new Bun.CryptoHasher("sha256"))) {
    for (let [at, number] = [0, line]; at < text.length; number++) {
      const end = text.indexOf("\n", at);
      if (wanted.has(number)) texts.set(number, cut(text.slice(at, end < 0 ? undefined : end)));
      if (number >= last) return texts;
      at = end < 0 ? text.length : end + 1;
    }
  }
  return texts;
}

function cut(text: string): string {
  const line = text.replace(/\r$/, "");
  return line.length <= MAX_CHARACTERS ? line : `${line.slice(0, MAX_CHARACTERS).toWellFormed()}…`;
}
