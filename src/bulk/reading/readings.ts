import { type FieldMistake, InvalidRecord, isRecord, sentencesOn } from "../../base/json/fields.ts";
import { int64FromJson } from "../../base/json/int64.ts";
import { Mistake } from "../../base/mistake.ts";
import { countOf, quote } from "../../base/text/text.ts";
import { type Animal, type NewAnimal, parseNewAnimal } from "../../domain/stock/animal.ts";
import { UnusableFile } from "../file-problem.ts";
import type { CategoryNames } from "./category-names.ts";
import { type ColumnMap, type ColumnOptions, columnsOf, type FieldName } from "./columns.ts";
import { type CsvRow, csvRows, type Separator, separatorOf } from "./csv.ts";
import { ndjsonLines } from "./ndjson.ts";
import { isNote } from "./notes.ts";
import type { Source } from "./source.ts";
import { type TextBlock, textBlocks, withFirst } from "./text.ts";

// Reads a file line by line: valid animals, and the reasons to reject the others.

export type Reading =
  | { readonly kind: "animal"; readonly animal: NewAnimal | Animal }
  | {
      readonly kind: "rejected";
      readonly line: number;
      readonly lastLine: number;
      readonly reason: string;
      /** The lines as they are in the file, without the last line end. */
      readonly text: string;
    };

/** Reads the animals of a file. Its identity and last id are known once all of it was read. */
export class AnimalReader {
  readonly #digest = new Bun.CryptoHasher("sha256");
  #columns: ColumnMap | undefined;
  #header: string | undefined;
  #lastId = 0n;

  constructor(
    private readonly source: Source,
    private readonly options: ColumnOptions,
    private readonly categories: CategoryNames,
  ) {}

  /** To be called once. Fails with an UnusableFile. */
  async *readings(): AsyncGenerator<readonly Reading[]> {
    const blocks = textBlocks(this.source.blocks(), this.#digest);
    const first = await firstOf(blocks);
    const start = first?.text.trimStart()[0];
    if (start === "[") throw new UnusableFile({ kind: "json_array" });
    const all = first ? withFirst(first, blocks) : blocks;
    yield* start === "{" ? this.#ofNdjson(all) : this.#ofCsv(all);
  }

  /** Digest of the content and of the columns that are read: equal digests lead to the same animals. */
  get identity(): string {
    const columns = [...(this.#columns ?? [])].sort(([a], [b]) => (a < b ? -1 : 1));
    const how = JSON.stringify({ columns, keepIds: this.options.keepIds });
    return new Bun.CryptoHasher("sha256").update(`${this.#digest.copy().digest("hex")}\n${how}`).digest("hex");
  }

  /** The header of a CSV file as it is there; undefined for NDJSON. Known once the first readings are. */
  get header(): string | undefined {
    return this.#header;
  }

  /** The greatest id, if ids are kept. */
  get lastId(): bigint | undefined {
    return this.options.keepIds ? this.#lastId : undefined;
  }

  async *#ofCsv(blocks: AsyncIterable<TextBlock>): AsyncGenerator<readonly Reading[]> {
    let places: Places | undefined;
    for await (const rows of csvRows(blocks)) {
      const head = places ? undefined : rows[0];
      const known = head ? this.#placesOf(headerOf(head)) : places;
      this.#header ??= head?.text;
      const others = (head ? rows.slice(1) : rows).filter(({ text }) => !isNote(text));
      if (known) {
        const cells = others.map((row) => row.cells[known.categoryId]);
        await this.categories.learn(cells.filter((cell): cell is string => cell !== undefined && isName(cell)));
        yield others.map((row) => this.#ofRow(row, known));
      }
      places = known;
    }
    if (!places) throw new UnusableFile({ kind: "no_header" });
  }

  #placesOf(header: readonly string[]): Places {
    const columns = columnsOf(header, this.options);
    this.#columns = columns;
    const at = (field: FieldName): number => {
      const column = columns.get(field);
      return column === undefined ? -1 : header.indexOf(column);
    };
    return { width: header.length, id: at("id"), name: at("name"), categoryId: at("categoryId"), status: at("status") };
  }

  #ofRow(row: CsvRow, places: Places): Reading {
    const { cells, mistake } = row;
    if (mistake !== undefined) return rejected(row, mistake);
    if (cells.length !== places.width) {
      const found = `The line has ${countOf(cells.length, "cell")}, and the header has ${places.width}`;
      const separator = NAMES_OF_SEPARATORS[separatorOf(this.#header ?? "", true) ?? ","];
      return rejected(row, `${found}. Add or remove cells, and put text that has ${separator} in quotation marks.`);
    }
    const value: Record<string, unknown> = { name: cells[places.name] };
    // An empty cell of another field counts as absent.
    const [id, categoryId, status] = [cells[places.id], cells[places.categoryId], cells[places.status]];
    if (id) value.id = integerIn(id);
    if (categoryId)
      value.categoryId = isName(categoryId) ? (this.categories.idOf(categoryId) ?? categoryId) : integerIn(categoryId);
    if (status) value.status = status;
    return this.#judge(row, value, categoryId);
  }

  async *#ofNdjson(blocks: AsyncIterable<TextBlock>): AsyncGenerator<readonly Reading[]> {
    const { map, keepIds } = this.options;
    this.#columns = map;
    let isFirst = true;
    for await (const lines of ndjsonLines(blocks))
      yield lines
        .filter(({ text }) => !isNote(text))
        .map(({ line, parsed, text }) => {
          const place = { line, lastLine: line, text };
          if (parsed instanceof Mistake) return rejected(place, parsed.text);
          if (isFirst && !keepIds) this.#refuseIds(parsed.value);
          isFirst = false;
          return this.#judge(place, map ? chosen(parsed.value, map) : parsed.value);
        });
  }

  /** An id in every line is one mistake, not one of each line, as in a CSV file. */
  #refuseIds(value: unknown): void {
    const { map } = this.options;
    const columns = isRecord(value) ? Object.keys(value) : [];
    if (map ? map.has("id") : columns.includes("id")) throw new UnusableFile({ kind: "assigned_ids", columns });
  }

  /** Applies the rule for new animals, as for a request. In CSV, the category is a number or a name. */
  #judge(place: Place, value: unknown, category = ""): Reading {
    const parsed = this.options.keepIds && isRecord(value) ? this.#parseWithId(value) : parseNewAnimal(value);
    if (!(parsed instanceof InvalidRecord)) return { kind: "animal", animal: parsed };
    return rejected(place, sentencesOn(isName(category) ? onCategory(parsed, category) : parsed, { place: "line" }));
  }

  #parseWithId({ id, ...others }: Record<string, unknown>): Animal | InvalidRecord {
    const mistake = this.#mistakeInId(id);
    const parsed = parseNewAnimal(others);
    if (!(parsed instanceof InvalidRecord))
      return mistake ? new InvalidRecord([mistake]) : { id: id as bigint, ...parsed };
    return mistake && parsed.mistakes !== "not an object" ? new InvalidRecord([mistake, ...parsed.mistakes]) : parsed;
  }

  #mistakeInId(id: unknown): FieldMistake | undefined {
    if (id === undefined) return { kind: "missing", field: "id" };
    if (typeof id !== "bigint" || id < 1n || id > ID_MAX)
      return { kind: "invalid", field: "id", text: `must be an integer from 1 to ${ID_MAX}` };
    if (id <= this.#lastId)
      return { kind: "invalid", field: "id", text: "must be greater than all ids before it, as in an export" };
    this.#lastId = id;
    return undefined;
  }
}

const NAMES_OF_SEPARATORS: Readonly<Record<Separator, string>> = {
  ",": "a comma",
  ";": "a semicolon",
  "\t": "a tab",
  "|": "a bar",
};

/** The index of the cell of each field, or -1, and the number of cells. */
type Places = Readonly<Record<FieldName | "width", number>>;

/** The position of a record, and its text. */
type Place = Pick<CsvRow, "line" | "lastLine" | "text">;

const rejected = ({ line, lastLine, text }: Place, reason: string): Reading => ({
  kind: "rejected",
  line,
  lastLine,
  reason,
  text,
});

/** Leaves enough greater ids for later animals. */
const ID_MAX = 2n ** 62n;

/** More than any spreadsheet has in practice. */
const COLUMNS_MAX = 1_000;

function headerOf({ cells, mistake, line }: CsvRow): readonly string[] {
  if (mistake !== undefined) throw new UnusableFile({ kind: "unreadable_header", line, mistake });
  if (cells.some((cell) => cell.includes("\r"))) throw new UnusableFile({ kind: "carriage_returns" });
  if (cells.length > COLUMNS_MAX)
    throw new UnusableFile({ kind: "too_many_columns", count: cells.length, max: COLUMNS_MAX });
  return cells;
}

const JSON_NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;
const LITERAL_MAX_CHARACTERS = 100;
/** Nearly all integers match; BigInt() reads them six times as fast. */
const USUAL_INTEGER = /^[1-9][0-9]{0,14}$/;

/** The integer that a JSON number of this form means; any other text stays text, which is rejected. */
function integerIn(cell: string): unknown {
  if (USUAL_INTEGER.test(cell)) return BigInt(cell);
  return cell.length <= LITERAL_MAX_CHARACTERS && JSON_NUMBER.test(cell) ? (int64FromJson(cell) ?? cell) : cell;
}

/** A cell with no number has the name of a category. */
const isName = (cell: string): boolean =>
  cell !== "" && !USUAL_INTEGER.test(cell) && typeof integerIn(cell) === "string";

/** Begins like a number, so that it is more likely a mistake in one than in a name. */
const NUMBER_LIKE = /^[-+.]?\d/;

/** Says of a name that no category has that it is one. */
function onCategory({ mistakes }: InvalidRecord, name: string): InvalidRecord {
  if (mistakes === "not an object" || NUMBER_LIKE.test(name)) return new InvalidRecord(mistakes);
  const text = `must be the number of a category or a name that one has, and none is called ${quote(name)}`;
  const [first, ...others] = mistakes.map((mistake) =>
    mistake.kind === "invalid" && mistake.field === "categoryId" ? { ...mistake, text } : mistake,
  );
  return new InvalidRecord([first as FieldMistake, ...others]);
}

/** The members that the map names, under the names of the fields. */
function chosen(value: unknown, map: ColumnMap): unknown {
  if (!isRecord(value)) return value;
  const fields = [...map].filter(([, column]) => Object.hasOwn(value, column));
  return Object.fromEntries(fields.map(([field, column]) => [field, value[column]]));
}

/** The first block that is not blank. */
async function firstOf(blocks: AsyncGenerator<TextBlock>): Promise<TextBlock | undefined> {
  for (let next = await blocks.next(); !next.done; next = await blocks.next())
    if (next.value.text.trim() !== "") return next.value;
  return undefined;
}
