// What harness parts leave to do at the end: of a test file, or of a benchmark that uses them.

type Task = () => unknown;

const tasks: Task[] = [];

/** Under `bun test` the runner does it after the file's tests. */
const afterAll = process.env.NODE_ENV === "test" ? (await import("bun:test")).afterAll : undefined;

export function atEnd(task: Task): void {
  if (afterAll) afterAll(async () => void (await task()));
  else tasks.push(task);
}

/** For a program that is no test: the latest first. */
export async function cleanUp(): Promise<void> {
  for (const task of tasks.reverse()) await task();
}
