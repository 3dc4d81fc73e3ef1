// Work that takes as long as it is told, and shows its progress. Usage: bun long-work.ts known|unknown steps [endless]

import { interruptible } from "../../../src/cli/terminal/interrupt.ts";

const [total, steps = "0", isEndless] = process.argv.slice(2);
const step = { label: "work", unit: "steps", total: total === "known" ? Number(steps) : undefined };
const isStopped = await interruptible("stopped", async (signal, progress) => {
  for (let done = 0; done < Number(steps) && (isEndless || !signal.aborted); done++) {
    await Bun.sleep(1);
    progress.report(step, done + 1);
    if (done === 700) progress.say("something else");
  }
  return signal.aborted;
});
process.stdout.write(`${isStopped ? "stopped" : "done"}\n`);
