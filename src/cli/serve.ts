import type { Command } from "commander";
import manifest from "../../package.json" with { type: "json" };
import { wordingOf } from "../base/text/misspelling.ts";
import { type Config, SETTINGS } from "../config.ts";
import type { Author } from "../domain/journal.ts";
import { type Service, start } from "../start.ts";
import { createLog } from "../telemetry/log.ts";
import { configFromEnvironment } from "./arguments/context.ts";
import { misspeltSettings } from "./arguments/env-file.ts";
import { wordsFor } from "./operator-key.ts";
import { ownCommand } from "./own-command.ts";
import { helpFor } from "./terminal/help.ts";
import { printAtStart, shellQuoted } from "./terminal/print.ts";
import { EXIT_INTERRUPTED, STOP_SIGNALS, stopSignals } from "./terminal/stop-signals.ts";
import { facts } from "./terminal/table.ts";

const EXIT_STOPPED = 0;
const EXIT_CRASHED = 1;

export function addServe(program: Command): void {
  program
    .command("serve")
    .description("Run the service. Its settings come from the environment.")
    .addHelpText("after", ({ command }) => `\nEnvironment:\n${helpFor(command).items(settingItems())}`)
    .action(serve);
}

export async function serve(): Promise<void> {
  const config = configFromEnvironment();
  // Production does not name its environment in each of its many lines.
  const log = createLog(config.LOG_LEVEL, config.ENVIRONMENT === "staging" ? { environment: "staging" } : {});
  const warnOfMisspelt = (): void => {
    for (const { name, meant } of misspeltSettings()) log.warn({ name, meant }, wordingOf({ name, meant }));
  };
  const exit = async (code: number): Promise<void> => {
    await log.flush();
    process.exit(code);
  };
  for (const event of ["uncaughtException", "unhandledRejection"] as const)
    process.on(event, (error: unknown) => {
      log.error({ err: error }, "the service has crashed");
      void exit(EXIT_CRASHED);
    });
  const crash = async (error: Error): Promise<void> => {
    log.error({ err: error }, "a thread of the service has crashed: stopping");
    await service.stop({ atOnce: true });
    await exit(EXIT_CRASHED);
  };
  const service = await start(config, { log, onThreadDeath: (error) => void crash(error) }).catch(async (error) => {
    // It may be the reason.
    warnOfMisspelt();
    await log.flush();
    throw error;
  });
  // Before the banner, which scripts wait for to stop the service. Until here a signal ends the process by default, even
  // while a migration keeps its only thread busy; the next start continues it.
  const receive = stopSignals({
    begin: async (signal) => {
      log.info({ signal }, "stopping");
      await service.stop();
      await exit(EXIT_STOPPED);
    },
    // begin() reports a failure.
    hurry: () => void service.stop({ atOnce: true }).catch(() => {}),
    interrupt: () => {
      log.warn("interrupted: requests in progress are not waited for");
      void exit(EXIT_INTERRUPTED);
    },
  });
  for (const signal of STOP_SIGNALS) process.on(signal, receive);
  // Requests that have waited for the port are answered first: each of these steps takes a millisecond.
  await Bun.sleep(1);
  warnOfMisspelt();
  printAtStart(banner(service, await consoleLine(service, config)));
  // The build holds the compiler back for the time of a start.
  Bun.unsafe.setJITPolicy(1);
}

/** A link for the person who starts the service for the first time in a terminal; otherwise how to make one. */
async function consoleLine(service: Service, config: Config): Promise<string | undefined> {
  if (service.consoleUrl === undefined) return undefined;
  // The command can still make a link.
  const link = await service.firstConsoleLink(() => authorOnTerminal(config)).catch(() => undefined);
  return link ?? `to sign in: ${ownCommand("console")}`;
}

/** Called by a first start only: it takes Bun 13 ms to tell whether there is a terminal. */
async function authorOnTerminal(config: Config): Promise<Author | undefined> {
  if (!process.stdout.isTTY) return undefined;
  const { authorOf } = await import("./arguments/author.ts");
  return { ...authorOf(config), via: "service" };
}

function banner(service: Service, consoleLine: string | undefined): string {
  const { origin, publicUrl, environment, metricsUrl, database, operatorKey } = service;
  const title = `Animal Store ${manifest.version} (${environment === "staging" ? "STAGING" : environment})`;
  const lines: [string, string][] = [
    ["API", `${origin}/v1`],
    ["Docs", `${origin}/docs`],
    ["Data", database],
  ];
  if (publicUrl !== `${origin}/v1`) lines.push(["Public", publicUrl]);
  if (consoleLine) lines.push(["Console", consoleLine]);
  if (metricsUrl) lines.push(["Metrics", metricsUrl]);
  const works = operatorKey && !operatorKey.problem;
  const secret = works ? `$(cat ${shellQuoted(operatorKey.file)})` : "$API_KEY";
  lines.push(...keyLines(operatorKey).map((line, i): [string, string] => [i === 0 ? "Key" : "", line]), [
    "Try",
    `curl -H "Authorization: Bearer ${secret}" ${origin}/v1/pets`,
  ]);
  return `\n${title}\n\n${facts(lines)}\n\nPress Ctrl+C to stop.\n`;
}

function keyLines(operatorKey: Service["operatorKey"]): string[] {
  const issue = `to issue one: ${ownCommand('keys create --name "Front desk" --plan business')}`;
  if (!operatorKey) return [issue];
  const { file, problem } = operatorKey;
  return problem ? [file, `does not work: ${wordsFor(problem)}`, issue] : [file];
}

const settingItems = () =>
  Object.entries(SETTINGS).map(([name, { fallback, meaning }]) => {
    const text = meaning.replaceAll("`", "");
    return [name, fallback === "" ? text : `${text} (default: ${fallback})`] as const;
  });
