/** The size of a subject in shared memory: one byte for its length, and the text in UTF-8. */
export const SUBJECT_BYTES = 64;

const TEXT_BYTES = SUBJECT_BYTES - 1;
/** Stands in place of the length of a subject that is too long, and whose SHA-256 follows. */
const IS_DIGEST = 255;

const field = new Uint8Array(SUBJECT_BYTES);
const words = new Int32Array(field.buffer);
const text = field.subarray(1);
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Encodes a subject in words, which are valid until the next call. Keys and addresses are shorter than the field. */
export function encodeSubject(subject: string): Int32Array {
  field.fill(0);
  const { read, written } = encoder.encodeInto(subject, text);
  field[0] = written;
  if (read === subject.length) return words;
  field.fill(0);
  field[0] = IS_DIGEST;
  text.set(new Bun.CryptoHasher("sha256").update(subject).digest());
  return words;
}

/** Decodes a subject; undefined: only its digest is known, so nothing can be saved for it. */
export function subjectOf(encoded: Int32Array): string | undefined {
  words.set(encoded);
  const [length = 0] = field;
  return length > TEXT_BYTES ? undefined : decoder.decode(field.subarray(1, 1 + length));
}
