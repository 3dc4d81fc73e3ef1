import { expect, test } from "bun:test";
import { gunzipSync } from "node:zlib";
import fc from "fast-check";
import { INT64_MAX, INT64_MIN } from "../base/json/int64.ts";
import { ANIMAL_STATUSES, type Animal } from "../domain/stock/animal.ts";
import type { AnimalSnapshot } from "../store/ports/store.ts";
import { exportAnimals } from "./export.ts";
import { EXPORT_FORMATS, type ExportFormat } from "./export-formats.ts";

const snapshotOf = (batches: readonly (readonly Animal[])[]): AnimalSnapshot => ({
  count: () => batches.flat().length,
  async *batches() {
    yield* batches;
  },
  close: () => {},
});

async function exported(
  batches: readonly (readonly Animal[])[],
  format: ExportFormat,
  isCompressed: boolean,
): Promise<string> {
  const chunks: Uint8Array[] = [];
  const write = async (chunk: Uint8Array) => void chunks.push(chunk);
  const { signal } = new AbortController();
  const result = await exportAnimals(snapshotOf(batches), write, {
    format,
    isCompressed,
    filter: {},
    signal,
    onProgress: () => {},
  });
  const content = Buffer.concat(chunks);
  expect(result).toEqual({
    animals: batches.flat().length,
    bytes: content.length,
    sha256: new Bun.CryptoHasher("sha256").update(content).digest("hex"),
  });
  return (isCompressed ? gunzipSync(content) : content).toString();
}

/** RFC 4180, by its grammar alone. */
function parseCsv(text: string): string[][] {
  const records: string[][] = [];
  let rest = text;
  while (rest !== "") {
    const record: string[] = [];
    for (;;) {
      const [all = "", quoted, plain = "", end = ""] = /^(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n)/.exec(rest) ?? [];
      if (all === "") throw new Error(`not CSV: ${rest.slice(0, 80)}`);
      record.push(quoted?.replaceAll('""', '"') ?? plain);
      rest = rest.slice(all.length);
      if (end !== ",") break;
    }
    records.push(record);
  }
  return records;
}

function parsed(text: string, format: ExportFormat): Animal[] {
  if (format === "csv") {
    const [header, ...records] = parseCsv(text);
    expect(header).toEqual(["id", "name", "categoryId", "status"]);
    return records.map(
      ([id, name, categoryId, status]) =>
        ({ id: BigInt(id as string), name, categoryId: BigInt(categoryId as string), status }) as Animal,
    );
  }
  const exactly = (_: string, value: unknown, { source }: { source: string }) =>
    typeof value === "number" ? BigInt(source) : value;
  return text
    .split("\n")
    .slice(0, -1)
    .map((line) => (JSON.parse as (text: string, reviver: unknown) => Animal)(line, exactly));
}

/** Also names that no one can add any more, and what a spreadsheet would take for a formula. */
const anyName = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 40 }),
  fc.string({
    unit: fc.constantFrom('"', ",", "\n", "\r", " ", "=", "+", "-", "@", "\t", "é", "🐕", "\\"),
    maxLength: 12,
  }),
);
const anyAnimal: fc.Arbitrary<Animal> = fc.record({
  id: fc.bigInt({ min: 1n, max: INT64_MAX }),
  name: anyName,
  categoryId: fc.bigInt({ min: INT64_MIN, max: INT64_MAX }),
  status: fc.constantFrom(...ANIMAL_STATUSES),
});

for (const format of EXPORT_FORMATS)
  test(`what is exported as ${format} is exactly what there is, compressed or not`, () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(anyAnimal, { minLength: 1, maxLength: 20 }), { maxLength: 4 }),
        fc.boolean(),
        async (batches, isCompressed) => {
          expect(parsed(await exported(batches, format, isCompressed), format)).toEqual(batches.flat());
        },
      ),
    ));

test("a name that looks like a formula is written as it is", async () => {
  const animal: Animal = { id: 1n, name: "=1+2", categoryId: 7n, status: "sold" };
  expect(await exported([[animal]], "csv", false)).toBe("id,name,categoryId,status\n1,=1+2,7,sold\n");
});

test("no more is read than is written", async () => {
  const animal: Animal = { id: 1n, name: "Rex", categoryId: 7n, status: "sold" };
  let read = 0;
  let written = 0;
  const snapshot: AnimalSnapshot = {
    ...snapshotOf([]),
    async *batches() {
      for (; read < 50; read++) yield [animal];
    },
  };
  const write = async () => {
    written++;
    await Bun.sleep(0);
    expect(read - written).toBeLessThanOrEqual(1);
  };
  const { signal } = new AbortController();
  const options = { format: "ndjson", isCompressed: false, filter: {}, signal, onProgress: () => {} } as const;
  expect((await exportAnimals(snapshot, write, options)).animals).toBe(50);
});

test("an export ends with the reason of its signal after a batch, and a failure of the snapshot or the file is its own", async () => {
  const animal: Animal = { id: 1n, name: "Rex", categoryId: 7n, status: "sold" };
  for (const isCompressed of [false, true]) {
    const controller = new AbortController();
    const options = { format: "csv", isCompressed, filter: {}, signal: controller.signal } as const;
    const stop = (animals: number) => void (animals === 2 && controller.abort());
    const stopped = exportAnimals(snapshotOf([[animal], [animal], [animal]]), async () => {}, {
      ...options,
      onProgress: stop,
    });
    expect(await stopped.catch((error: unknown) => error)).toBe(controller.signal.reason);
    const { signal } = new AbortController();
    const full = new Error("the disk is full");
    const failing = exportAnimals(snapshotOf([[animal]]), () => Promise.reject(full), {
      ...options,
      signal,
      onProgress: () => {},
    });
    expect(await failing.catch((error: unknown) => error)).toBe(full);
    const broken: AnimalSnapshot = { ...snapshotOf([]), batches: () => failingBatches() };
    const unread = exportAnimals(broken, async () => {}, { ...options, signal, onProgress: () => {} });
    await expect(unread).rejects.toThrow("gone");
  }
});

async function* failingBatches(): AsyncGenerator<readonly Animal[]> {
  yield [];
  throw new Error("gone");
}
