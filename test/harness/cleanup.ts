// What the harness has to undo at the end: of a test, of a test file, or of a program that uses the harness.

type Task = () => unknown;

/** Outside of `bun test` there are no hooks, and the program calls cleanUp() itself. */
const hooks = process.env.NODE_ENV === "test" ? await import("bun:test") : undefined;
const tasksOfProgram: Task[] = [];
/** Those of the setUp() that is running. */
let tasksOfSetUp: Task[] | undefined;

/** Called in a test: at its end; anywhere else: at the end of the enclosing describe, file or program. */
export function atEnd(task: Task): void {
  if (tasksOfSetUp) tasksOfSetUp.push(task);
  else if (hooks) hooks.afterAll(async () => void (await task()));
  else tasksOfProgram.push(task);
}

/** As beforeAll(), but what it starts lives until the end of the enclosing describe: Bun ends a hook with its own. */
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

/** For a program that is not a test. */
export const cleanUp = (): Promise<void> => run(tasksOfProgram);

/** The latest first, since it may depend on the earlier ones. */
async function run(tasks: readonly Task[]): Promise<void> {
  for (const task of tasks.toReversed()) await task();
}
