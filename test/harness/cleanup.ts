// Cleanup tasks of the harness, run at the end of a test, a test file, or a program that uses the harness.

type Task = () => unknown;

/** Outside of `bun test` there are no hooks, and the program calls cleanUp() itself. */
const hooks = process.env.NODE_ENV === "test" ? await import("bun:test") : undefined;
const tasksOfProgram: Task[] = [];
/** The tasks of the running setUp(). */
let tasksOfSetUp: Task[] | undefined;

/** Runs a task at the end of the test, or outside of tests, of the enclosing describe, file or program. */
export function atEnd(task: Task): void {
  if (tasksOfSetUp) tasksOfSetUp.push(task);
  else if (hooks) hooks.afterAll(async () => void (await task()));
  else tasksOfProgram.push(task);
}

/** Like beforeAll(), but its tasks run at the end of the enclosing describe; Bun would run them with the hook. */
export function setUp(start: () => Promise<void>, timeoutMs?: number): void {
  const tasks: Task[] = [];
  hooks?.beforeAll(async () => {
    tasksOfSetUp = tasks;
    try {
      await start();
    } finally {
      tasksOfSetUp = undefined;
    }
  }, timeoutMs);
  hooks?.afterAll(() => run(tasks));
}

/** Runs the tasks of a program that is not a test. */
export const cleanUp = (): Promise<void> => run(tasksOfProgram);

/** Runs the latest task first, because it may depend on the earlier ones. */
async function run(tasks: readonly Task[]): Promise<void> {
  for (const task of tasks.toReversed()) await task();
}
