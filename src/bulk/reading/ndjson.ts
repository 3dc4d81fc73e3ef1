import { parseJsonRecord, RECORD_MAX_BYTES, recordTooLarge } from "../../base/json/record.ts";
import { Mistake } from "../../base/mistake.ts";
import type { TextBlock } from "./text.ts";

// NDJSON: one JSON object per line, like the body of a request.

export interface NdjsonLine {
  readonly line: number;
  /** The value of the line, or its mistake. */
  readonly parsed: { readonly value: unknown } | Mistake;
  readonly text: string;
}

const TOO_LARGE = new Mistake(recordTooLarge(RECORD_MAX_BYTES, "line"));

/** The lines of each block of text, without empty ones. */
export async function* ndjsonLines(blocks: AsyncIterable<TextBlock>): AsyncGenerator<readonly NdjsonLine[]> {
  for await (const block of blocks) {
    const lines: NdjsonLine[] = [];
    let { line } = block;
    for (const text of block.text.split("\n")) {
      if (text.trim() !== "") lines.push({ line, parsed: parse(text), text });
      line++;
    }
    yield lines;
  }
}

const parse = (text: string): NdjsonLine["parsed"] =>
  text.length > RECORD_MAX_BYTES || Buffer.byteLength(text) > RECORD_MAX_BYTES
    ? TOO_LARGE
    : parseJsonRecord(text, "line");
