// Measures what the console costs: its first paint in a browser, and what it adds to a service that does not use it.
// Run: npm run bench:console-paint

import { readFileSync } from "node:fs";
import { chromium } from "playwright-core";
import { CHROMIUM } from "../test/harness/browser/chromium.ts";
import { temporaryFolder } from "../test/harness/folder.ts";
import { Fleet } from "../test/harness/service/fleet.ts";
import { cleanUpOnAnyEnd, endRun, median, say } from "./common/tools.ts";

const RUNS = 15;

/** The private memory of a process in MB, and its number of threads. */
function usedBy(pid: number): string {
  const field = (name: string, file: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(readFileSync(`/proc/${pid}/${file}`, "utf8"))?.[1]);
  const privateKb = field("Private_Clean", "smaps_rollup") + field("Private_Dirty", "smaps_rollup");
  return `${(privateKb / 1024).toFixed(0)} MB, ${field("Threads", "status")} threads`;
}

cleanUpOnAnyEnd();
if (!CHROMIUM) throw new Error("there is no Chromium: install it first, as with apt install chromium");
const storage = { DATABASE_URL: `sqlite:${temporaryFolder()}/animal-store.db` };
const fleet = await Fleet.start({ newStorage: async () => storage, query: async () => [] });
const pid = fleet.services[0]?.child.pid as number;
say(`before the console was asked for: ${usedBy(pid)}`);
const link = await fleet.link();
const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
const beganMs = performance.now();
await (await fetch(`${fleet.origins[0]}/console/`)).text();
say(`the first request, which starts its thread: ${(performance.now() - beganMs).toFixed(0)} ms`);
const signedIn = await browser.newContext();
const first = await signedIn.newPage();
await first.goto(link);
await first.getByRole("heading", { name: "Overview" }).waitFor();
const cookies = await signedIn.cookies();
const paints: number[] = [];
for (let run = 0; run < RUNS; run++) {
  // A new context has an empty cache.
  const context = await browser.newContext();
  await context.addCookies(cookies);
  const page = await context.newPage();
  await page.goto(`${fleet.origins[0]}/console/`);
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  paints.push(await page.evaluate<number>("performance.getEntriesByName('first-contentful-paint')[0].startTime"));
  await context.close();
}
say(
  `first contentful paint, nothing cached: median ${median(paints).toFixed(0)} ms, slowest ${Math.max(...paints).toFixed(0)} ms`,
);
say(`with the console in use: ${usedBy(pid)}`);
await browser.close();
await endRun(0);
