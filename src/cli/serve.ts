import type { Command } from "commander";
import manifest from "../../package.json" with { type: "json" };
import { SETTINGS } from "../config.ts";
import { type Service, start } from "../start.ts";
import { createLog } from "../telemetry/log.ts";
import { configFromEnvironment } from "./context.ts";
import { printAtStart } from "./print.ts";
import { facts, table } from "./table.ts";

const EXIT_CRASHED = 1;

export function addServe(program: Command): void {
  program
    .command("serve")
    .description("Run the service. Its settings come from the environment.")
    .addHelpText("after", () => `\nEnvironment:\n${settingsTable()}`)
    .action(serve);
}

export async function serve(): Promise<void> {
  const config = configFromEnvironment();
  const log = createLog(config.LOG_LEVEL);
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
  const service = await start(config, { log, onThreadDeath: (error) => void crash(error) });
  // Before the banner: whoever waits for that may stop the service right away.
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.on(signal, async () => {
      log.info({ signal }, "stopping");
      // A person at a terminal has no load balancer to wait for. Whoever sends one signal twice, as npm does, gets one stop.
      await service.stop({ atOnce: signal === "SIGINT" });
      await exit(0);
    });
  }
  printAtStart(banner(service));
}

function banner({ origin, publicUrl, metricsUrl, database, operatorKeyFile }: Service): string {
  const lines: [string, string][] = [
    ["API", `${origin}/v1`],
    ["Docs", `${origin}/docs`],
    ["Data", database],
  ];
  if (publicUrl !== `${origin}/v1`) lines.push(["Public", publicUrl]);
  if (metricsUrl) lines.push(["Metrics", metricsUrl]);
  const secret = operatorKeyFile ? `$(cat ${shellQuoted(operatorKeyFile)})` : "$API_KEY";
  lines.push(
    ["Key", operatorKeyFile ?? 'to issue one: npx animal-store keys create --name "Front desk" --plan business'],
    ["Try", `curl -H "Authorization: Bearer ${secret}" ${origin}/v1/pets`],
  );
  return `\nAnimal Store ${manifest.version}\n\n${facts(lines)}\n\nPress Ctrl+C to stop.\n`;
}

const shellQuoted = (path: string): string => (/^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`);

const settingsTable = (): string =>
  table(
    ["  NAME", "DEFAULT", "MEANING"],
    Object.entries(SETTINGS).map(([name, { fallback, meaning }]) => [
      `  ${name}`,
      fallback || "-",
      meaning.replaceAll("`", ""),
    ]),
  );
