import { describe, expect, test } from "bun:test";
import { join } from "node:path";

const WORK = join(import.meta.dir, "../../harness/program/long-work.ts");

interface Seen {
  readonly out: string;
  readonly code: number | null;
}

/** Runs work in a real terminal. Presses Ctrl+C whenever a bar has been drawn as often as this says. */
async function inTerminal(
  args: readonly string[],
  columns: number,
  interruptAt: readonly number[] = [],
  term = "xterm",
): Promise<Seen> {
  let out = "";
  const interrupts = [...interruptAt];
  const decoder = new TextDecoder();
  const child = Bun.spawn([process.execPath, WORK, ...args], {
    env: { PATH: process.env.PATH ?? "", TERM: term },
    terminal: {
      cols: columns,
      rows: 20,
      data: (terminal, bytes) => {
        out += decoder.decode(bytes, { stream: true });
        const next = interrupts[0];
        if (next !== undefined && out.split("\x1b[1G").length > next) {
          interrupts.shift();
          terminal.write("\x03");
        }
      },
    },
  });
  await child.exited;
  child.terminal?.close();
  return { out, code: child.exitCode };
}

/** Returns the text that each drawing of the bar put on the line. */
const drawn = (out: string): string[] =>
  out
    .split("\x1b[1G")
    .slice(1)
    .map((part) => (part.split("\x1b")[0] as string).replace("^C", ""));

/** Neither the cursor nor the wrapping of lines was touched, and the last bar was erased. */
function expectTidy(out: string): void {
  for (const mode of ["25l", "25h", "7l", "7h"]) expect(out).not.toContain(`\x1b[?${mode}`);
  expect(out.lastIndexOf("\x1b[2K")).toBeGreaterThan(out.lastIndexOf(" %"));
}

describe("progress on a terminal", () => {
  test("is a bar with rate and time left, which is gone at the end", async () => {
    const { out, code } = await inTerminal(["known", "900"], 100);
    expect(code).toBe(0);
    expect(
      drawn(out).some((line) =>
        /^work {2}█+░+ {2,3}\d+ % {2}\d+ of 900 steps {2}\d+ steps\/s {2}\d+ s left$/.test(line),
      ),
    ).toBe(true);
    expect(out).toContain("something else\r\n");
    expect(out.trimEnd()).toEndWith("done");
    expectTidy(out);
  });

  test("fits a narrow one, and has no bar where nobody knows how much there is", async () => {
    const narrow = await inTerminal(["known", "900"], 30);
    expect(Math.max(...drawn(narrow.out).map((line) => line.length))).toBeLessThan(30);
    expect(drawn(narrow.out)[0]).toMatch(/\d+ %/);
    const unknown = await inTerminal(["unknown", "900"], 80);
    expect(drawn(unknown.out)[0]).toMatch(/^work {2}\d+ steps {2}\d+ steps\/s$/);
  });

  test("is not drawn for what is done in a moment, nor on a terminal that cannot draw", async () => {
    expect((await inTerminal(["known", "20"], 80)).out).toBe("done\r\n");
    expect((await inTerminal(["known", "900"], 80, [], "dumb")).out).toBe("something else\r\ndone\r\n");
  });

  test("leaves a clean line behind when it is interrupted, once or twice", async () => {
    const once = await inTerminal(["known", "100000"], 80, [3]);
    expect([once.code, once.out.trimEnd().endsWith("stopped")]).toEqual([0, true]);
    expectTidy(once.out);
    // A second signal within a second is the same keystroke, which npm has passed on.
    const twice = await inTerminal(["known", "100000", "endless"], 80, [3, 5, 18]);
    expect(twice.code).toBe(130);
    expectTidy(twice.out);
  });
});

test("elsewhere, what takes less than ten seconds says nothing, and standard output is never written to", async () => {
  const child = Bun.spawn([process.execPath, WORK, "known", "600"], { stdout: "pipe", stderr: "pipe" });
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  expect([out, err]).toEqual(["done\n", ""]);
});
