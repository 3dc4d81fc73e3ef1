import { expect, test } from "bun:test";
import { isRunning, type JobEvent, type JobState, nextState, undoing, uploading } from "./import-state.ts";

const after = (state: JobState, ...events: JobEvent[]): JobState => events.reduce(nextState, state);

const UPLOAD = uploading("a.csv", false);
const RECEIVED = { kind: "received" } as const;
const ADDING = { kind: "progressed", step: "add", done: 5, total: 9, importId: 3n } as const;
const VALIDATED = {
  kind: "validated",
  animals: 9,
  rejected: 1,
  unreported: 0,
  linesLeftOut: 0,
  rejects: [{ line: 2, reason: "no", text: "x" }],
} as const;
const FINISHED = { kind: "finished" } as const;
const REFUSED = { kind: "refused", message: "It was stopped.", remedies: ["again"] } as const;

test("an upload is validated once it has arrived, then added, then done", () => {
  expect(UPLOAD).toMatchObject({ step: "upload", name: "a.csv", isDryRun: false, isUndo: false, total: null });
  const validating = after(UPLOAD, RECEIVED, { kind: "progressed", step: "validate", done: 4, total: undefined });
  expect(validating).toMatchObject({ step: "validate", done: 4, total: null, importId: null });
  const adding = after(validating, ADDING);
  expect(adding).toMatchObject({ step: "add", done: 5, total: 9, importId: "3" });
  const done = after(adding, VALIDATED, FINISHED);
  expect(done).toEqual({
    ...adding,
    step: "done",
    animals: 9,
    rejected: 1,
    unreported: 0,
    linesLeftOut: 0,
    rejects: VALIDATED.rejects,
  });
});

test("the number of an import stays known while progress no longer names it", () => {
  expect(after(UPLOAD, RECEIVED, ADDING, { kind: "progressed", step: "add", done: 6, total: 9 }).importId).toBe("3");
});

test("an undo is one step, and ends with its own counts", () => {
  const undo = after(undoing("a.csv", 3n), { kind: "progressed", done: 2, total: 9 });
  expect(undo).toMatchObject({ step: "undo", isUndo: true, importId: "3", done: 2, total: 9 });
  expect(after(undo, { kind: "finished", done: 8, total: 9, animals: 8 })).toMatchObject({
    step: "done",
    done: 8,
    total: 9,
    animals: 8,
  });
});

test.each([
  ["upload", UPLOAD],
  ["validate", after(UPLOAD, RECEIVED)],
  ["add", after(UPLOAD, RECEIVED, ADDING)],
  ["undo", undoing("a.csv", 3n)],
] as const)("a job can be refused while its step is %s, and keeps what was known", (step, state) => {
  expect([state.step, isRunning(state)]).toEqual([step, true]);
  const refused = after(state, REFUSED);
  expect(refused).toEqual({ ...state, step: "refused", message: "It was stopped.", remedies: ["again"] });
  expect(isRunning(refused)).toBe(false);
});

test("nothing changes a job that has ended", () => {
  for (const ended of [after(UPLOAD, RECEIVED, FINISHED), after(UPLOAD, REFUSED)])
    for (const event of [RECEIVED, ADDING, VALIDATED, FINISHED, REFUSED]) expect(nextState(ended, event)).toBe(ended);
});
