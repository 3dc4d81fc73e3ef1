import { describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { INT64_MAX, INT64_MIN } from "../../src/base/json/int64.ts";
import { type ImportOptions, importAnimals } from "../../src/bulk/import.ts";
import { undoImport } from "../../src/bulk/undo.ts";
import { ANIMAL_STATUSES } from "../../src/domain/stock/animal.ts";
import type { Import } from "../../src/domain/stock/import.ts";
import type { Store } from "../../src/store/ports/store.ts";
import { temporaryFolder } from "../harness/folder.ts";
import type { TestService } from "../harness/service/service.ts";
import { onEveryStore } from "../harness/service/stores.ts";

const AUTHOR = { by: "tester", via: "command" } as const;

const folder = temporaryFolder();
let files = 0;

function fileOf(content: string | Uint8Array): string {
  const path = join(folder, `${++files}.csv`);
  writeFileSync(path, content);
  return path;
}

const optionsOf = (path: string, changes: Partial<ImportOptions> = {}): ImportOptions => ({
  path,
  rejectedPath: `${path}.rejected`,
  dryRun: false,
  skipInvalid: false,
  again: false,
  keepIds: false,
  ...changes,
});

type ImportingStore = Pick<Store, "imports" | "categories">;

const partsOf = ({ imports, categories }: ImportingStore, signal = new AbortController().signal) => ({
  imports,
  categories,
  author: AUTHOR,
  nowMs: Date.now,
  sleep: Bun.sleep,
  signal,
  onProgress: () => {},
});

const csvOf = (count: number, name = "Imported"): string =>
  `name,categoryId\n${Array.from({ length: count }, (_, i) => `${name} ${i},${i % 7}\n`).join("")}`;

onEveryStore(({ startService, setUp }) => {
  let service: TestService;
  setUp(async () => {
    service = await startService();
  });

  const importFile = (path: string, changes?: Partial<ImportOptions>) =>
    service.withStore((store) => importAnimals(partsOf(store), optionsOf(path, changes)));
  const undo = (id: bigint) =>
    service.withStore((store) => undoImport({ ...partsOf(store), onProgress: () => {} }, id));
  async function imported(path: string, changes?: Partial<ImportOptions>): Promise<Import> {
    const result = await importFile(path, changes);
    if (result.kind === "refused") throw new Error(JSON.stringify(result.reason));
    return result.value.import as Import;
  }

  describe("validation", () => {
    /** The verdict of the file's rules on a line, which is a request body. */
    async function reasonFor(store: ImportingStore, body: string): Promise<string | undefined> {
      const result = await importAnimals(partsOf(store), optionsOf(fileOf(`${body}\n`), { dryRun: true }));
      return result.kind === "refused" && result.reason.kind === "invalid_lines"
        ? result.reason.first.reason
        : undefined;
    }

    const ofLine = (message: string): string =>
      message.replaceAll(/(?<=\b(?:The|the|this) )body\b/g, "line").replaceAll(/(?<=\. )Send\b/g, "Write");

    test("rejects what createPet refuses, with the same message but of a line, and nothing else", async () => {
      const names = fc.oneof(
        fc.string({ unit: "binary", maxLength: 8 }),
        fc.string({ unit: "grapheme", maxLength: 300 }),
        fc.constantFrom("", " ", "\u200b", "a\u202eb", "a\tb", "x".repeat(255), "x".repeat(256), "\ud800", "é"),
      );
      const numbers = fc.oneof(
        fc.bigInt({ min: INT64_MIN - 2n, max: INT64_MAX + 2n }).map(String),
        fc.constantFrom("1.0", "1e3", "1.5", "-0", '"1"', "null", "true", "1e400", "10e-1", "[]", String(INT64_MAX)),
      );
      const members = fc.array(
        fc.oneof(
          names.map((name) => `"name":${JSON.stringify(name)}`),
          numbers.map((number) => `"categoryId":${number}`),
          fc.constantFrom(...ANIMAL_STATUSES, "gone", "").map((status) => `"status":"${status}"`),
          fc.constantFrom('"status":null', '"x":1', '"name":7', '"categoryId":{}', "broken"),
        ),
        { maxLength: 4 },
      );
      await service.withStore((store) =>
        fc.assert(
          fc.asyncProperty(members, async (parts) => {
            const body = `{${parts.join(",")}}`;
            const { status, json } = await service.call("POST /pets", { body });
            const reason = await reasonFor(store, body);
            expect([body, reason]).toEqual([body, status === 201 ? undefined : ofLine(json.message)]);
          }),
          { numRuns: 120 },
        ),
      );
    });
  });

  test("what is imported is served at once, found by name and category, and undone", async () => {
    const cached = async () => (await service.call("GET /pets?name=served&limit=100")).json as { name: string }[];
    expect(await cached()).toEqual([]);
    const { id } = await imported(fileOf("name,categoryId,status\nSERVED Ünit,77,sold\nServed two,78,\n"));
    expect(await cached()).toMatchObject([
      { name: "Served two", categoryId: 78, status: "available" },
      { name: "SERVED Ünit", categoryId: 77, status: "sold" },
    ]);
    expect((await service.call("GET /pets?categoryId=77")).json).toMatchObject([{ name: "SERVED Ünit" }]);
    expect((await service.call("GET /pets?name=served%20ü")).json).toHaveLength(1);
    await undo(id);
    expect(await cached()).toEqual([]);
    expect((await service.call("GET /pets?categoryId=77")).json).toEqual([]);
  });

  test("the service's own writes go on beside an import, and nothing is lost or doubled", async () => {
    const path = fileOf(csvOf(6_000, "Beside"));
    let isImporting = true;
    const statuses: number[] = [];
    const writing = (async () => {
      for (let i = 0; isImporting; i++)
        statuses.push((await service.call("POST /pets", { body: { name: `Meanwhile ${i}`, categoryId: 5 } })).status);
    })();
    const { added, id } = await imported(path);
    isImporting = false;
    await writing;
    expect(added).toBe(6_000);
    expect(statuses.length).toBeGreaterThan(0);
    expect(new Set(statuses)).toEqual(new Set([201]));
    const undone = await undo(id);
    expect(undone).toMatchObject({ kind: "done", value: { removed: 6_000, kept: 0 } });
    const { json } = await service.call("GET /pets?name=meanwhile&limit=1");
    expect(json).toHaveLength(1);
  });

  test("an order keeps an imported animal, and the others go", async () => {
    const { id } = await imported(fileOf(csvOf(3, "Ordered")));
    const [first] = (await service.call("GET /pets?name=ordered")).json as { id: number }[];
    expect((await service.call("POST /store/orders", { body: { petId: first?.id } })).status).toBe(201);
    expect(await undo(id)).toMatchObject({ kind: "done", value: { removed: 2, kept: 1 } });
    expect((await service.call("GET /pets?name=ordered")).json).toMatchObject([{ id: first?.id, status: "pending" }]);
  });

  test("what is interrupted at the end of a batch goes on there", async () => {
    const path = fileOf(csvOf(5_000, "Interrupted"));
    const runs: number[] = [];
    for (;;) {
      const controller = new AbortController();
      const result = await service.withStore(async (store) => {
        const parts = partsOf(store, controller.signal);
        const onProgress = ({ step, done }: { step: string; done: number }) => {
          if (step !== "add") return;
          if (runs.at(-1) !== done) runs.push(done);
          if (runs.length < 4) controller.abort();
        };
        return importAnimals({ ...parts, onProgress }, optionsOf(path)).catch((error: unknown) => {
          if (error !== controller.signal.reason) throw error;
          return undefined;
        });
      });
      if (!result) continue;
      expect(result).toMatchObject({ kind: "done", value: { import: { added: 5_000 } } });
      break;
    }
    expect(runs.length).toBeGreaterThanOrEqual(4);
    expect(runs).toEqual([...new Set(runs)].sort((a, b) => a - b));
    const { kind, reason } = (await importFile(path)) as { kind: string; reason?: { kind: string } };
    expect([kind, reason?.kind]).toEqual(["refused", "already_imported"]);
  });

  test("a spreadsheet's file with semicolons has its categories by name", async () => {
    await service.withStore(async ({ categories }) => {
      for (const [id, name] of [
        [4_001n, "Ferrets"],
        [4_002n, "Élans"],
      ] as const)
        await categories.put({ id, name });
    });
    const lines = ["Semicolon;ferrets;sold", '"Semicolon; ""two""";ÉLANS;', "Semicolon;4003;"];
    const path = fileOf(`\ufeffname;categoryId;status\r\n${lines.join("\r\n")}\r\n`);
    expect(await imported(path)).toMatchObject({ added: 3 });
    expect((await service.call("GET /pets?name=semicolon")).json).toMatchObject([
      { name: "Semicolon", categoryId: 4_001, status: "sold" },
      { name: "Semicolon", categoryId: 4_003, status: "available" },
      { name: 'Semicolon; "two"', categoryId: 4_002, status: "available" },
    ]);
    const unknown = fileOf("name;categoryId\nRex;ferrets\nRex;ferets\n");
    expect(await importFile(unknown)).toMatchObject({
      kind: "refused",
      reason: { kind: "invalid_lines", first: { line: 3, reason: expect.stringContaining('none is called "ferets"') } },
    });
    expect(readFileSync(`${unknown}.rejected.csv`, "utf8")).toBe("name;categoryId\nRex;ferets\n");
  });

  test("a category that gets its name after the validation does not make an animal of a line that was left out", async () => {
    const path = fileOf("name,categoryId\nLate,4010\nLate,latecomers\n");
    const result = await service.withStore((store) => {
      const begin: Store["imports"]["begin"] = async (beginning) => {
        await store.categories.put({ id: 4_011n, name: "Latecomers" });
        return store.imports.begin(beginning);
      };
      const parts = { ...partsOf(store), imports: { ...store.imports, begin } };
      return importAnimals(parts, optionsOf(path, { skipInvalid: true }));
    });
    expect(result).toMatchObject({
      kind: "done",
      value: { animals: 1, rejected: 1, import: { animals: 1, added: 1 } },
    });
    expect((await service.call("GET /pets?name=late")).json).toHaveLength(1);
  });

  test("two at once add a file once", async () => {
    const path = fileOf(csvOf(6_000, "Twice"));
    const results = await Promise.all([importFile(path), importFile(path)]);
    const kinds = results.map((result) => (result.kind === "done" ? "done" : result.reason.kind)).sort();
    expect(["already_imported,done", "done,overtaken"]).toContain(kinds.join(","));
    const id = (await service.withStore(async ({ imports }) => imports.list()))[0]?.id as bigint;
    expect(await undo(id)).toMatchObject({ kind: "done", value: { added: 6_000, removed: 6_000 } });
    expect((await service.call("GET /pets?name=twice")).json).toEqual([]);
  });

  test("a file that changes after it was validated is noticed, before anything of the change is written", async () => {
    const path = fileOf(csvOf(30_000, "Changing"));
    const changing = service.withStore((store) => {
      const onProgress = ({ step, done }: { step: string; done: number }) => {
        if (step === "add" && done < 5_000) writeFileSync(path, csvOf(30_000, "Different"));
      };
      return importAnimals({ ...partsOf(store), onProgress }, optionsOf(path));
    });
    const { reason } = (await changing) as { reason: { kind: string; import: Import } };
    expect(reason).toMatchObject({ kind: "changed", import: { animals: 30_000 } });
    expect(reason.import.added).toBeGreaterThan(0);
    const left = { kind: "done", value: { added: reason.import.added, removed: reason.import.added } };
    expect(await undo(reason.import.id)).toMatchObject(left);
    expect((await service.call("GET /pets?name=different")).json).toEqual([]);
  });
});
