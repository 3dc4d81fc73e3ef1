import { expect, test } from "bun:test";
import { atEndOfTurn } from "./turn.ts";

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

test("steps run in order at the end of the turn, with those that they add", async () => {
  const ran: string[] = [];
  atEndOfTurn(() => {
    ran.push("first");
    atEndOfTurn(() => ran.push("added"));
  });
  atEndOfTurn(() => ran.push("second"));
  await Promise.resolve();
  expect(ran).toEqual([]);
  await turn();
  expect(ran).toEqual(["first", "second", "added"]);
  atEndOfTurn(() => ran.push("next turn"));
  await turn();
  expect(ran.at(-1)).toBe("next turn");
});

test("a step that throws stops neither the others nor later ones", async () => {
  // In a process of its own, since a test fails with whatever is uncaught in it.
  const program = `
    const { atEndOfTurn } = await import(${JSON.stringify(`${import.meta.dir}/turn.ts`)});
    process.on("uncaughtException", (error) => console.log(error.message));
    atEndOfTurn(() => { throw new Error("thrown"); });
    atEndOfTurn(() => console.log("second"));
    setTimeout(() => atEndOfTurn(() => console.log("later")), 20);`;
  const child = Bun.spawn([process.execPath, "-e", program], { stdout: "pipe", stderr: "inherit" });
  expect((await child.stdout.text()).trim().split("\n")).toEqual(["thrown", "second", "later"]);
});
