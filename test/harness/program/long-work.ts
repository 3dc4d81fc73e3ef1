// Work that takes as long as it is told, and shows its progress. Usage: bun long-work.ts known|unknown steps [endless]

import { onInterrupt } from "../../../src/cli/terminal/interrupt.ts";
import { showProgress } from "../../../src/cli/terminal/progress.ts";

const [total, steps = "0", isEndless] = process.argv.slice(2);
const { signal, release } = onInterrupt();
const progress = showProgress({
  label: "work",
  unit: "steps",
  total: total === "known" ? Number(steps) : undefined,
});
for (let done = 0; done < Number(steps) && (isEndless || !signal.aborted); done++) {
  await Bun.sleep(1);
  progress.advance(done + 1);
  if (done === 700) progress.say("something else");
}
progress.end();
release();
process.stdout.write(`${signal.aborted ? "stopped" : "done"}\n`);
