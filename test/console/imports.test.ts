import { describe, expect, test } from "bun:test";
import { chmodSync, chownSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { ReaderGone } from "../../src/console/jobs/paced-stream.ts";
import { fileNameOf, UPLOAD_LIMITS } from "../../src/console/jobs/upload.ts";
import { exportFiltered, MAX_EXPORTS, streamOf } from "../../src/console/resources/export.ts";
import {
  beginImport,
  downloadRejected,
  downloadRejectedLines,
  listImports,
  listWorks,
  showWork,
  stopWork,
  undoImportOf,
} from "../../src/console/resources/imports.ts";
import { listJournal } from "../../src/console/resources/journal.ts";
import type { AnimalSnapshot } from "../../src/store/ports/store.ts";
import { type Answer, type Asked, openConsole, type TestConsole } from "../harness/service/console-parts.ts";
import { onEveryStore } from "../harness/service/stores.ts";

const HEADER = "name,categoryId,status\n";
const csv = (count: number): string =>
  HEADER + Array.from({ length: count }, (_, i) => `Animal ${i},${i % 5},available\n`).join("");
const MIXED = `${HEADER}Rex,7,available\nNo category,,available\n"Two\nlines",x,sold\nMax,8,sold\n<b>,7,gone\n`;

/** The files kept for works, without folders. */
const filesIn = (folder: string): string[] =>
  (readdirSync(folder, { recursive: true }) as string[]).filter((name) => /\.(csv|txt|ndjson|gz)$/.test(name));

onEveryStore(({ backend }) => {
  /** Uploads a file, and returns the outcome of its work. */
  async function work(desk: TestConsole, asked: Asked): Promise<Answer> {
    const answer = await desk.ask(beginImport, asked);
    if (!(answer instanceof Response)) return answer;
    expect(answer.status).toBe(202);
    const begun = (await answer.json()) as Answer;
    await desk.settled();
    return desk.ask(showWork, { params: { id: begun.work } });
  }
  const animals = async ({ store }: TestConsole) => (await store.animals.list({ size: 1000 })).rows;

  describe("an import", () => {
    test("is shown by a dry run line by line, and then made with the same file, in the journal by its author", async () => {
      const desk = await openConsole(backend);
      const dry = await work(desk, { body: MIXED, query: { name: "pets.csv", dryRun: "true" } });
      expect(dry).toMatchObject({
        name: "pets.csv",
        isDryRun: true,
        step: "done",
        animals: 2,
        rejected: 3,
        hasFile: true,
      });
      expect(dry.rejects).toEqual([
        { line: 3, reason: '"categoryId" is missing. Add it to the line.', text: "No category,,available" },
        { line: 4, reason: expect.stringContaining("none is called"), text: '"Two' },
        { line: 7, reason: '"status" must be one of available, pending, sold.', text: "<b>,7,gone" },
      ]);
      expect(await animals(desk)).toEqual([]);
      expect(await desk.journal(1)).toEqual([]);
      const refused = await work(desk, { query: { from: dry.work } });
      expect(refused).toMatchObject({ step: "refused", rejected: 3, hasFile: true, importId: null });
      expect(refused.message).toBe(
        '4 of 6 lines are invalid, so nothing was written: line 3: "categoryId" is missing. Add it to the line. All of them are in the report. Correct them, or leave them out with “Leave out invalid lines”.',
      );
      const made = await work(desk, { query: { from: refused.work, skipInvalid: "true" } });
      expect(made).toMatchObject({
        step: "done",
        animals: 2,
        rejected: 3,
        done: 2,
        total: 2,
        importId: "1",
        hasFile: false,
      });
      expect((await animals(desk)).map(({ name }) => name)).toEqual(["Rex", "Max"]);
      expect(await desk.journal(2)).toMatchObject([
        { by: "Anna 🐾", via: "console", subject: { kind: "import", id: "1" }, after: { state: "finished", added: 2 } },
        { by: "Anna 🐾", via: "console", action: "animals import" },
      ]);
      expect(await desk.ask(listImports)).toMatchObject([{ id: "1", source: "pets.csv", state: "finished", added: 2 }]);
      const report = (await desk.ask(downloadRejected, { params: { id: made.work } })) as Response;
      expect(report.headers.get("Content-Disposition")).toStartWith('attachment; filename="pets.csv.rejected.txt"');
      expect(await report.text()).toContain("lines 4-5\t");
      const lines = (await desk.ask(downloadRejectedLines, { params: { id: made.work } })) as Response;
      expect(lines.headers.get("Content-Disposition")).toStartWith('attachment; filename="pets.csv.rejected.csv"');
      expect(await lines.text()).toStartWith("name,categoryId");
      // The file itself is gone.
      expect(filesIn(desk.uploads).filter((name) => name.endsWith("pets.csv"))).toEqual([]);
    });

    test("of the same file is refused, unless it is to be added again; packed files and NDJSON are read too", async () => {
      const desk = await openConsole(backend);
      const body = () => new Blob([gzipSync(csv(30))]);
      expect(await work(desk, { body: body(), query: { name: "a.csv.gz" } })).toMatchObject({
        step: "done",
        animals: 30,
      });
      const again = await work(desk, { body: csv(30), query: { name: "b.csv", dryRun: "true" } });
      expect(again).toMatchObject({ step: "refused", hasFile: true, remedies: ["again"] });
      expect(again.message).toBe(
        "“b.csv” was imported already, by import 1, which has added 30 animals: to add them once more, choose “Import again”.",
      );
      expect(await work(desk, { query: { from: again.work, again: "true" } })).toMatchObject({
        step: "done",
        importId: "2",
      });
      const ndjson = '{"name":"Z","categoryId":9007199254740993}\n{"name":1}\n';
      const lines = await work(desk, { body: ndjson, query: { dryRun: "true" } });
      expect(lines).toMatchObject({ animals: 1, rejected: 1, rejects: [{ line: 2, text: '{"name":1}' }] });
      expect(await animals(desk)).toHaveLength(60);
    });

    test("that was interrupted goes on with the same file", async () => {
      const desk = await openConsole(backend);
      const answer = (await desk.ask(beginImport, { body: csv(20_000), query: { name: "big.csv" } })) as Response;
      const { work: id } = (await answer.json()) as Answer;
      for (;;) {
        const { step, done } = await desk.ask(showWork, { params: { id } });
        if (step === "add" && done > 0) break;
        await Bun.sleep(1);
      }
      // Only one work runs at a time.
      expect(await desk.ask(beginImport, { body: csv(1) })).toMatchObject({
        status: 409,
        code: "import_running",
        message: '"big.csv" is still in progress. Wait until it has finished, or stop it.',
      });
      await desk.ask(stopWork, { params: { id } });
      await desk.settled();
      const stopped = await desk.ask(showWork, { params: { id } });
      expect(stopped).toMatchObject({
        step: "refused",
        message: "It was stopped. Import the same file again to go on.",
      });
      expect(await desk.ask(listImports)).toMatchObject([{ state: "unfinished", animals: 20_000 }]);
      expect(await work(desk, { query: { from: id } })).toMatchObject({ step: "done", importId: "1", done: 20_000 });
      expect(await desk.ask(listImports)).toMatchObject([{ state: "finished", added: 20_000 }]);
    });

    test("is undone when the name of its file is typed", async () => {
      const desk = await openConsole(backend);
      await work(desk, { body: csv(1_200), query: { name: "x.csv" } });
      await desk.store.orders.place({ animalId: 1n, nowMs: 1 });
      const params = { id: "1" };
      expect(await desk.ask(undoImportOf, { params, form: { name: "y.csv" } })).toMatchObject({
        status: 409,
        field: "name",
      });
      const begun = (await desk.ask(undoImportOf, { params, form: { name: "x.csv" } })) as Response;
      expect(begun.status).toBe(202);
      const { work: id } = (await begun.json()) as Answer;
      await desk.settled();
      expect(await desk.ask(showWork, { params: { id } })).toMatchObject({ step: "done", done: 1_199, total: 1_200 });
      // Both are still listed later, newest first.
      expect(await desk.ask(listWorks)).toMatchObject([
        { work: id, isUndo: true, importId: "1" },
        { name: "x.csv", isUndo: false, step: "done", animals: 1_200 },
      ]);
      expect(await animals(desk)).toHaveLength(1);
      expect(await desk.ask(listImports)).toMatchObject([{ state: "undone" }]);
      expect(await desk.ask(undoImportOf, { params, form: { name: "x.csv" } })).toMatchObject({
        status: 409,
        code: "undone_already",
      });
      for (const unknown of ["2", "x", "-1"])
        expect(await desk.ask(undoImportOf, { params: { id: unknown }, form: { name: "x" } })).toMatchObject({
          status: 404,
        });
      expect(await desk.journal(1)).toMatchObject([{ by: "Anna 🐾", via: "console", action: "animals undo" }]);
      const { items } = await desk.ask(listJournal);
      const [{ source }] = await desk.ask(listImports);
      const ofImport = items.filter(({ subject }: Answer) => subject.kind === "import");
      expect(ofImport.length).toBeGreaterThan(2);
      for (const { subject } of ofImport) expect(subject).toEqual({ kind: "import", id: "1", name: source });
    });

    test("can be made of one file as often as anybody likes, until the file is gone", async () => {
      const desk = await openConsole(backend);
      let dry = await work(desk, { body: csv(2), query: { name: "a.csv", dryRun: "true" } });
      for (let i = 0; i < 25; i++) {
        dry = await work(desk, { query: { from: dry.work, dryRun: "true" } });
        expect(dry).toMatchObject({ step: "done", animals: 2, message: null, hasFile: true });
      }
      expect(filesIn(desk.uploads)).toHaveLength(1);
      const views = await desk.ask(listWorks);
      expect(views.map(({ hasFile }: Answer) => hasFile)).toEqual([true, ...Array(views.length - 1).fill(false)]);
      // The temporary folder is emptied by someone else.
      for (const name of filesIn(desk.uploads)) rmSync(join(desk.uploads, name));
      const gone = await desk.ask(beginImport, { query: { from: dry.work } });
      expect(gone).toMatchObject({ status: 404, code: "file_gone" });
      expect(await desk.ask(beginImport, { query: { from: dry.work } })).toEqual(gone);
      expect(await work(desk, { body: csv(1) })).toMatchObject({ step: "done" });
      expect(desk.failures).toEqual([]);
    });

    test("of what is no file of animals says so, in the words of the page", async () => {
      const desk = await openConsole(backend);
      const made = (body: string) => work(desk, { body, query: { name: "f.csv" } });
      const message = async (body: string) => (await made(body)).message;
      expect((await made("id,name,categoryId\n1,a,2\n")).remedies).toEqual(["keepIds"]);
      expect((await made("name\na\n")).remedies).toEqual([]);
      expect(await message("PK\u0003\u0004...")).toBe("“f.csv” is a zip archive: unpack it first.");
      expect(await message("id,name,categoryId\n1,a,2\n")).toBe(
        "“f.csv” has ids, and the service assigns them: choose the columns to read below, or restore an export into an empty store with “Keep ids”.",
      );
      expect(await message("name,categoryId,color\na,2,red\n")).toContain(
        ": choose the columns to read below, and the others are left out.",
      );
      expect(await message("Name,categoryId\na,2\n")).not.toContain("--");
      expect(await message("name\na\n")).toContain(": choose the column that it is below.");
      expect(desk.failures).toEqual([]);
    });

    test("reads the columns that were chosen, of a file that was refused for its columns", async () => {
      const desk = await openConsole(backend);
      const long = "x".repeat(201);
      const header = `Name;Group;Notes;;${long}`;
      const body = `${header}\nRex;Dogs;good;;\nMia;8;;;\n`;
      const refused = await work(desk, { body, query: { name: "pets.csv", dryRun: "true" } });
      expect(refused).toMatchObject({ step: "refused", columns: ["Name", "Group", "Notes"], hasFile: true });
      await desk.store.categories.put({ id: 70n, name: "dogs" });
      const chosen = { nameColumn: "Name", categoryIdColumn: "Group" };
      const again = async (from: Answer, query: Answer) => work(desk, { query: { from: from.work, ...query } });
      const wrong = await again(refused, { dryRun: "true", ...chosen, statusColumn: "Status" });
      expect(wrong).toMatchObject({ step: "refused", columns: ["Name", "Group", "Notes"] });
      expect(wrong.message).toContain('“pets.csv” has no column "Status" for status');
      const dry = await again(wrong, { dryRun: "true", ...chosen });
      expect(dry).toMatchObject({ step: "done", animals: 2, columns: [] });
      expect(await again(dry, chosen)).toMatchObject({ step: "done", animals: 2 });
      const added = (await animals(desk)).map(({ name, categoryId }) => [name, categoryId]);
      expect(added).toEqual([
        ["Rex", 70n],
        ["Mia", 8n],
      ]);
      expect(desk.failures).toEqual([]);
    });

    test("is refused without a file, with an empty one, and with choices that are none", async () => {
      const desk = await openConsole(backend);
      expect(await desk.ask(beginImport, {})).toMatchObject({ status: 400, field: "file" });
      expect(await desk.ask(beginImport, { body: "" })).toMatchObject({ status: 400, field: "file" });
      for (const dryRun of ["maybe", "constructor"])
        expect(await desk.ask(beginImport, { body: csv(1), query: { dryRun } })).toMatchObject({ field: "dryRun" });
      expect(await desk.ask(beginImport, { query: { from: "nothing" } })).toMatchObject({
        status: 404,
        code: "file_gone",
      });
      for (const act of [showWork, stopWork, downloadRejected])
        expect(await desk.ask(act, { params: { id: "nothing" } })).toMatchObject({ status: 404 });
      expect(filesIn(desk.uploads)).toEqual([]);
      expect(await work(desk, { body: csv(2) })).toMatchObject({ step: "done", animals: 2 });
    });

    test("whose file is too large, has no room or breaks off leaves nothing behind", async () => {
      const small = await openConsole(backend, { limits: { ...UPLOAD_LIMITS, maxBytes: 100 } });
      expect(await small.ask(beginImport, { body: csv(50) })).toMatchObject({ status: 413, code: "file_too_large" });
      const full = await openConsole(backend, { limits: { ...UPLOAD_LIMITS, roomIn: async () => 5 } });
      expect(await full.ask(beginImport, { body: csv(50) })).toMatchObject({ status: 413, code: "no_room" });
      const broken = new ReadableStream<Uint8Array>({
        start(controller) {
          controller.enqueue(Buffer.from(csv(3)));
          controller.error(new Error("connection reset"));
        },
      });
      expect(await small.ask(beginImport, { body: broken })).toMatchObject({ status: 400, code: "incomplete_file" });
      for (const desk of [small, full]) expect(filesIn(desk.uploads)).toEqual([]);
      // Nothing of it blocks the next one.
      expect(await work(small, { body: `${HEADER}Rex,7,sold\n` })).toMatchObject({ step: "done" });
    });
  });

  describe("a file that is being sent", () => {
    /** An upload that stalls after its beginning. */
    const stalled = () =>
      new ReadableStream<Uint8Array>({ start: (controller) => controller.enqueue(Buffer.from(csv(3))) });

    test("can be stopped, and leaves nothing behind", async () => {
      const desk = await openConsole(backend);
      const begun = desk.ask(beginImport, { body: stalled(), query: { name: "a.csv" } });
      for (;;) {
        const [work] = await desk.ask(listWorks);
        if (work && (await desk.ask(stopWork, { params: { id: work.work } })).step === "upload") break;
        await Bun.sleep(1);
      }
      expect(await begun).toMatchObject({ status: 409, code: "import_stopped" });
      expect(await desk.ask(listWorks)).toEqual([]);
      expect(await work(desk, { body: csv(1) })).toMatchObject({ step: "done" });
      expect(filesIn(desk.uploads)).toEqual([]);
    });

    test("is given up when nothing more comes of it, so that nobody waits for it for ever", async () => {
      const desk = await openConsole(backend, { limits: { ...UPLOAD_LIMITS, stalledAfterMs: 20 } });
      expect(await desk.ask(beginImport, { body: stalled() })).toMatchObject({ status: 400, code: "incomplete_file" });
      expect(await work(desk, { body: csv(1) })).toMatchObject({ step: "done" });
    });

    test("of a session that has ended meanwhile is not imported, and leaves nothing behind", async () => {
      const desk = await openConsole(backend);
      const hasSession = async () => false;
      expect(await desk.ask(beginImport, { body: csv(3), hasSession })).toMatchObject({
        status: 401,
        code: "signed_out",
      });
      expect([await desk.ask(listWorks), filesIn(desk.uploads), await animals(desk)]).toEqual([[], [], []]);
      expect(await work(desk, { body: csv(1) })).toMatchObject({ step: "done" });
    });

    test("may have any name", async () => {
      const desk = await openConsole(backend);
      const names = ["rejected.txt", ".rejected.txt", `${"🐾".repeat(120)}.csv`, "a/../b", "con.csv", "%00"];
      for (const name of names)
        expect([name, await work(desk, { body: MIXED, query: { name, dryRun: "true" } })]).toMatchObject([
          name,
          { step: "done", animals: 2, rejected: 3 },
        ]);
    });

    test("has a report that does not grow without end, whatever is packed in it", async () => {
      const desk = await openConsole(backend, { reportMaxBytes: 100_000 });
      const bomb = new Blob([gzipSync(HEADER + "x\n".repeat(50_000))]);
      const dry = await work(desk, { body: bomb, query: { name: "bomb.csv.gz", dryRun: "true" } });
      expect(dry).toMatchObject({ step: "done", animals: 0, rejected: 50_000 });
      expect(dry.rejects).toHaveLength(100);
      const report = await ((await desk.ask(downloadRejected, { params: { id: dry.work } })) as Response).text();
      expect(report.length).toBeLessThan(200_000);
      const lines = report.trim().split("\n");
      const [, left] = /^# ([\d,]+) more were rejected/.exec(lines.at(-2) as string) ?? [];
      expect(lines.length - 3 + Number(left?.replaceAll(",", ""))).toBe(50_000);
      expect(dry.unreported).toBe(Number(left?.replaceAll(",", "")));
      const kept = (await desk.ask(downloadRejectedLines, { params: { id: dry.work } })) as Response;
      const texts = (await kept.text()).trim().split("\n");
      // The lines are shorter than their reasons.
      expect([texts.length, texts.at(-1), dry.linesLeftOut]).toEqual([50_001, "x", 0]);
    });
  });

  test("so many exports are made at once, and no more, until one of them has arrived or was given up", async () => {
    const desk = await openConsole(backend);
    await work(desk, { body: csv(3_000) });
    const open: Response[] = [];
    for (let i = 0; i < MAX_EXPORTS; i++) open.push((await desk.ask(exportFiltered)) as Response);
    expect(await desk.ask(exportFiltered)).toMatchObject({ status: 503, code: "too_many_exports" });
    await open[0]?.text();
    await open[1]?.body?.cancel();
    const next: Response[] = [];
    while (next.length < 2) {
      const answer = await desk.ask(exportFiltered);
      if (answer instanceof Response) next.push(answer);
      else await Bun.sleep(1);
    }
    expect(await desk.ask(exportFiltered)).toMatchObject({ status: 503 });
    for (const response of [...open.slice(2), ...next]) await response.text();
    await desk.settled();
    expect(desk.failures).toEqual([]);
  });

  test("an export that its reader does not take is given up, and its snapshot is closed", async () => {
    const desk = await openConsole(backend);
    await work(desk, { body: csv(5_000) });
    const snapshot = (await desk.parts.openSnapshot()) as AnimalSnapshot;
    let isClosed = false;
    const watched = {
      batches: snapshot.batches,
      async close() {
        await snapshot.close();
        isClosed = true;
      },
    };
    const { readable, work: exporting } = streamOf(watched, {}, "csv", 20);
    const reader = readable.getReader();
    const first = reader.read();
    await exporting(new AbortController().signal);
    expect(isClosed).toBe(true);
    expect(Buffer.from((await first).value as Uint8Array).toString()).toBe("id,name,categoryId,status\n");
    expect(await reader.read().catch((error: unknown) => error)).toBeInstanceOf(ReaderGone);
  });

  test("an export is what the filter shows, as a download; what is exported can be imported", async () => {
    const desk = await openConsole(backend);
    await work(desk, { body: csv(5_000), query: { name: "x.csv" } });
    await desk.store.animals.update({ id: 3n, status: "sold", name: 'Ä "q", 日本' });
    const ask = async (query: Record<string, string>) => {
      const response = (await desk.ask(exportFiltered, { query })) as Response;
      return { text: await response.text(), headers: response.headers };
    };
    const whole = await ask({});
    expect(whole.text.split("\n")).toHaveLength(5_002);
    expect(whole.headers.get("Content-Disposition")).toMatch(/^attachment; filename="animals-\d{4}-\d{2}-\d{2}\.csv"/);
    expect((await ask({ status: "sold" })).text).toBe('id,name,categoryId,status\n3,"Ä ""q"", 日本",2,sold\n');
    expect((await ask({ format: "ndjson", categoryId: "4" })).text.split("\n")).toHaveLength(1_001);
    // Filters by name prefix and by id work as in the list.
    const named = await ask({ name: "aNIMAL 499", format: "ndjson" });
    const names = named.text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).name as string);
    expect(names).toEqual(["Animal 499", ...Array.from({ length: 10 }, (_, i) => `Animal 499${i}`)]);
    // Batches are in the order of the index, so nothing else is read.
    const all = (await ask({ name: "a", format: "ndjson" })).text.trimEnd().split("\n");
    expect(all).toHaveLength(4_999);
    expect(all.slice(0, 3).map((line) => JSON.parse(line).name)).toEqual(["Animal 0", "Animal 1", "Animal 10"]);
    expect((await ask({ name: "animal 1", status: "sold" })).text).toBe("id,name,categoryId,status\n");
    expect((await ask({ id: "3" })).text).toBe('id,name,categoryId,status\n3,"Ä ""q"", 日本",2,sold\n');
    expect((await ask({ id: "3", status: "pending" })).text).toBe("id,name,categoryId,status\n");
    // An export refuses the same filters as the list.
    expect(await desk.ask(exportFiltered, { query: { id: "3", name: "Animal" } })).toMatchObject({
      status: 400,
      field: "name",
    });
    expect(await desk.ask(exportFiltered, { query: { id: "x" } })).toMatchObject({ status: 400, field: "id" });
    expect(await desk.ask(exportFiltered, { query: { format: "xls" } })).toMatchObject({
      status: 400,
      field: "format",
    });
    const other = await openConsole(backend);
    expect(await work(other, { body: whole.text, query: { keepIds: "true" } })).toMatchObject({
      step: "done",
      animals: 5_000,
    });
    // A client that disconnects ends the export, which is not a failure.
    const cut = (await desk.ask(exportFiltered)) as Response;
    const reader = (cut.body as ReadableStream<Uint8Array>).getReader();
    await reader.read();
    await reader.cancel();
    await desk.settled();
    expect(desk.failures).toEqual([]);
    // So does the end of the session, which nobody may take for the end of the file.
    let looks = 0;
    const ended = (await desk.ask(exportFiltered, { hasSession: async () => ++looks < 2 })) as Response;
    const failure = await ended.text().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ReaderGone);
    await desk.settled();
    expect([looks, desk.failures]).toEqual([2, []]);
  });
});

test("what others have left there is nobody's business, and what cannot be removed is in nobody's way", async () => {
  const { newSqliteStorage } = await import("../harness/service/service.ts");
  const desk = await openConsole({ newStorage: async () => newSqliteStorage() } as never);
  const left = join(desk.uploads, `animal-store-uploads-${2 ** 22 + 1}-a`);
  mkdirSync(join(left, "within"), { recursive: true });
  writeFileSync(join(left, "within", "a.csv"), "x");
  // Only root can change the owner, and permissions only restrict other users.
  if (process.getuid?.() === 0) chownSync(left, 65_534, 65_534);
  else chmodSync(join(left, "within"), 0o000);
  utimesSync(left, 1, 1);
  expect(await desk.ask(beginImport, { body: csv(1) })).toBeInstanceOf(Response);
  await desk.settled();
  expect(readdirSync(desk.uploads)).toContain(`animal-store-uploads-${2 ** 22 + 1}-a`);
  chmodSync(join(left, "within"), 0o700);
});

test("a file keeps its name, as far as that is one", () => {
  expect(fileNameOf("pets 2027.csv")).toBe("pets 2027.csv");
  expect(fileNameOf("../../etc/passwd")).toBe("etcpasswd");
  expect(fileNameOf("a\\b\0c\u202ed.csv")).toBe("abcd.csv");
  expect(fileNameOf("..")).toBe("animals.csv");
  expect(fileNameOf(undefined)).toBe("animals.csv");
  expect(fileNameOf("日本.csv")).toBe("日本.csv");
  expect(fileNameOf(`${"🐕".repeat(300)}.csv`)).toBe(`${"🐕".repeat(49)}.csv`);
  expect(fileNameOf(`${"a".repeat(300)}.csv`)).toBe(`${"a".repeat(96)}.csv`);
});
