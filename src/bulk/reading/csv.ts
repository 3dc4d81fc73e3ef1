import { LINE_MAX_BYTES, type TextBlock } from "./text.ts";

// CSV as RFC 4180 describes it: text in quotation marks may contain commas, line ends and, doubled, quotation marks. In
// place of commas, cells may be separated by semicolons, as spreadsheets do where numbers have decimal commas, or by tabs
// or bars.
// A record with a mistake in its quotation marks ends with its first line, and the next line begins another: its end is
// unknown, and reading on would swallow good lines.

export interface CsvRow {
  readonly line: number;
  /** Greater than `line` if a text has several lines. */
  readonly lastLine: number;
  readonly cells: readonly string[];
  /** The reason to reject the row; its cells mean nothing then. */
  readonly mistake: string | undefined;
  /** The row as it is in the file, without its last line end. */
  readonly text: string;
}

const NOT_CLOSED = "A quotation mark is not closed. Close it, or write it twice within quotation marks.";
const TEXT_FOLLOWS =
  "Text follows a closing quotation mark. Write a quotation mark that is part of a text twice, and put the text in quotation marks.";
const LEFT_OVER = "A quotation mark closes what a line before it has opened, and that line is rejected. Correct both.";

/** The most rows at once: a text that is rejected for its length may have any number of lines. */
const ROWS_MAX = 10_000;

export type Separator = "," | ";" | "\t" | "|";

/** The first is that of a header without any. */
const SEPARATORS: readonly Separator[] = [",", ";", "\t", "|"];

const EMPTY_LINES = /^[\r\n]+/;

/** The character that a header has most of outside quotation marks; undefined if it goes on after the text. */
export function separatorOf(text: string, isWhole: boolean): Separator | undefined {
  let header = "";
  for (const [i, part] of text.replace(EMPTY_LINES, "").split('"').entries()) {
    const isQuoted = i % 2 === 1;
    if (isQuoted) continue;
    const [line = "", ...others] = part.split("\n", 2);
    header += line;
    if (others.length > 0) return mostFrequentIn(header);
  }
  return isWhole ? mostFrequentIn(header) : undefined;
}

function mostFrequentIn(header: string): Separator | undefined {
  const counts = SEPARATORS.map((separator) => header.split(separator).length);
  return SEPARATORS[counts.indexOf(Math.max(...counts))];
}

/** The rows of blocks of text, without empty ones. A row may span several blocks. */
export async function* csvRows(blocks: AsyncIterable<TextBlock>): AsyncGenerator<readonly CsvRow[]> {
  let open: TextBlock | undefined;
  let separator: Separator | undefined;
  for await (const block of blocks) {
    const { text, line }: TextBlock = open ? { text: open.text + block.text, line: open.line } : block;
    separator ??= separatorOf(text, text.length > LINE_MAX_BYTES);
    open = separator ? yield* new Scanner(text, line, separator).scan(false) : { text, line };
  }
  if (!open) return;
  separator ??= separatorOf(open.text, true);
  yield* new Scanner(open.text, open.line, separator).scan(true);
}

/** Reads whole lines. */
class Scanner {
  readonly #separators: Finder;
  readonly #lineEnds: Finder;
  readonly #quotes: Finder;
  #rows: CsvRow[] = [];
  /** The start of the next row. */
  #at = 0;
  /** A quotation mark up to here may close the text of a rejected record. */
  #doubtfulTo = -1;

  constructor(
    private readonly text: string,
    private line: number,
    private readonly separator: Separator = ",",
  ) {
    this.#separators = new Finder(text, separator);
    this.#lineEnds = new Finder(text, "\n");
    this.#quotes = new Finder(text, '"');
  }

  /** Yields the rows that end in the text. Returns the rest of it, unless it is the last text. */
  *scan(isLast: boolean): Generator<readonly CsvRow[], TextBlock | undefined> {
    const text = this.text;
    let rest: TextBlock | undefined;
    while (this.#at < text.length && !rest) {
      if (this.#rows.length === ROWS_MAX) {
        yield this.#rows;
        this.#rows = [];
      }
      const end = this.#lineEnds.after(this.#at);
      if (this.#quotes.after(this.#at) > end)
        this.#accept(withoutReturn(text.slice(this.#at, end)).split(this.separator), end);
      else if (!this.#quoted(isLast)) rest = { text: text.slice(this.#at), line: this.line };
    }
    yield this.#rows;
    return rest;
  }

  /** Reads a row with quotation marks. Returns false if a later block may close its text. */
  #quoted(isLast: boolean): boolean {
    const text = this.text;
    const cells: string[] = [];
    for (let at = this.#at; ; ) {
      let end: number;
      if (text[at] === '"') {
        const closing = closingQuote(text, at + 1);
        // The limit does not depend on where the text is cut into blocks.
        if (closing - this.#at > LINE_MAX_BYTES) {
          if (!isLast && text.length - this.#at <= LINE_MAX_BYTES) return false;
          return this.#reject(NOT_CLOSED);
        }
        cells.push(text.slice(at + 1, closing).replaceAll('""', '"'));
        end = endAfter(text, closing + 1, this.separator);
        if (end < 0) {
          this.#doubtfulTo = Math.max(this.#doubtfulTo, closing);
          return this.#reject(TEXT_FOLLOWS);
        }
      } else {
        end = Math.min(this.#separators.after(at), this.#lineEnds.after(at));
        if (this.#quotes.after(at) < Math.min(end, this.#doubtfulTo + 1)) return this.#reject(LEFT_OVER);
        const cell = text.slice(at, end);
        cells.push(text[end] === this.separator ? cell : withoutReturn(cell));
      }
      if (text[end] !== this.separator) return this.#accept(cells, end);
      at = end + 1;
    }
  }

  #accept(cells: readonly string[], end: number): true {
    const line = this.line;
    let lastLine = line;
    for (let at = this.#lineEnds.after(this.#at); at < end; at = this.#lineEnds.after(at + 1)) lastLine++;
    const text = withoutReturn(this.text.slice(this.#at, end));
    if (cells.length !== 1 || cells[0] !== "") this.#rows.push({ line, lastLine, cells, mistake: undefined, text });
    this.line = lastLine + 1;
    this.#at = end + 1;
    return true;
  }

  #reject(mistake: string): true {
    const line = this.line++;
    const end = this.#lineEnds.after(this.#at);
    const text = withoutReturn(this.text.slice(this.#at, end));
    this.#rows.push({ line, lastLine: line, cells: [], mistake, text });
    this.#at = end + 1;
    return true;
  }
}

/** Finds a character, and remembers where: a text without any would otherwise be searched for each row. */
class Finder {
  #from = 0;
  #found = -1;

  constructor(
    private readonly text: string,
    private readonly character: string,
  ) {}

  /** The next index of the character, or the length of the text. */
  after(at: number): number {
    if (at < this.#from || at > this.#found) {
      const found = this.text.indexOf(this.character, at);
      this.#from = at;
      this.#found = found < 0 ? this.text.length : found;
    }
    return this.#found;
  }
}

/** The index of the closing quotation mark, or infinity. Two marks are one of the text. */
function closingQuote(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 2)) if (text[at + 1] !== '"') return at;
  return Number.POSITIVE_INFINITY;
}

/** The index of the separator or line end that follows a closing mark, after spaces at most; -1 if something else does. */
function endAfter(text: string, from: number, separator: Separator): number {
  let at = from;
  while (text[at] === " ") at++;
  if (text[at] === "\r" && (at + 1 === text.length || text[at + 1] === "\n")) at++;
  return at === text.length || text[at] === separator || text[at] === "\n" ? at : -1;
}

/** A line may end in CR LF. */
const withoutReturn = (text: string): string => (text.endsWith("\r") ? text.slice(0, -1) : text);
