import { expect, test } from "bun:test";
import { temporaryFolder } from "./harness/folder.ts";
import { startService } from "./harness/service.ts";

const CHROMIUM = ["chromium", "chromium-browser", "google-chrome"].map((name) => Bun.which(name)).find(Boolean);
const TIMEOUT_MS = 60_000;

/** The page as the browser has it after all scripts have run, and everything that it had to say about it. */
async function visit(url: string): Promise<{ dom: string; messages: string[] }> {
  const options = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    `--user-data-dir=${temporaryFolder()}`,
    "--enable-logging=stderr",
    "--virtual-time-budget=20000",
    "--dump-dom",
  ];
  const browser = Bun.spawn([CHROMIUM as string, ...options, url], { stdout: "pipe", stderr: "pipe" });
  const [dom, log] = await Promise.all([new Response(browser.stdout).text(), new Response(browser.stderr).text()]);
  return { dom, messages: log.split("\n").filter((line) => line.includes(":CONSOLE")) };
}

/** What a browser says when a policy stops something, or a script fails. */
const COMPLAINT = /Content Security Policy|Refused|violates|MIME type|Uncaught|Failed to load/i;

test.skipIf(!CHROMIUM)(
  "in a real browser, the pages show what they should, and their policies stop nothing of it",
  async () => {
    const service = await startService();
    const [landing, docs] = await Promise.all([visit(`${service.origin}/`), visit(`${service.origin}/docs`)]);
    expect(landing.dom).toContain("API reference");
    for (const shown of ["Animal Store", "List animals", "Add an animal", `${service.origin}/v1`])
      expect(docs.dom).toContain(shown);
    expect([...landing.messages, ...docs.messages].filter((message) => COMPLAINT.test(message))).toEqual([]);
  },
  TIMEOUT_MS,
);
