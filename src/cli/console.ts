import { type Command, InvalidArgumentError } from "commander";
import { OperatorError } from "../base/operator-error.ts";
import { reachableHost } from "../base/system/reachable-host.ts";
import { countOf } from "../base/text/text.ts";
import { systemClock } from "../base/time/clock.ts";
import { type Config, consolePath } from "../config.ts";
import { addressOfLink, type ConsoleLink, makeConsoleLink, mistakeInLinkName } from "../console/auth/link.ts";
import { LINK_LASTS_MS } from "../domain/console-session.ts";
import { StoreUnavailable } from "../store/ports/store.ts";
import { authorOf } from "./arguments/author.ts";
import { aliveInstances, withStore } from "./arguments/context.ts";
import type { JsonOption } from "./arguments/options.ts";
import { addYes, confirmation, type YesOption } from "./terminal/confirmation.ts";
import { formatDuration, formatNumber, isoTime, note, print, printJson } from "./terminal/print.ts";
import { writeEndOfJson, writeSecret, writeSecretJson } from "./terminal/stdout.ts";

export function addConsole(program: Command): void {
  const console = program
    .command("console")
    .description(
      "Print a link into the console, which shows and runs the store in a browser. It signs in one browser, once.",
    )
    .option("--name <name>", "who it is for, as the journal names them (default: the system user)", parseName)
    .action(printLink);
  addYes(console.command("sign-out"))
    .description("End sessions of the console, and links that were not used yet.")
    .option("--all", "everybody's, wherever they are signed in (required)")
    .action(signOut);
}

function parseName(text: string): string {
  const mistake = mistakeInLinkName(text);
  if (mistake) throw new InvalidArgumentError(`A name ${mistake.text}.`);
  return text;
}

async function printLink({ name, json }: JsonOption & { readonly name?: string }): Promise<void> {
  await withStore(async (store, config) => {
    const places = placesOf(config);
    const author = authorOf(config);
    const deliver = (link: ConsoleLink) =>
      json ? writeSecretJson(jsonOf(places, link)) : writeSecret(textOf(places, link));
    const parts = { sessions: store.sessions, clock: systemClock, author, deliver };
    // If this fails, the link has been printed, and does not work.
    await makeConsoleLink(parts, { name: name ?? author.by }).catch(failAfterDelivery);
    if (json) return writeEndOfJson();
    print(`\nIt signs in one browser, once, within ${formatDuration(LINK_LASTS_MS)}.`);
    if ((await aliveInstances(store)).length === 0)
      note("No service has used this database lately: if it is not running, start it first.");
  });
}

type Places = ReturnType<typeof placesOf>;

/** The address of the console for everybody, and the one on the machine of the service, if that differs. */
function placesOf(config: Config) {
  const { CONSOLE, CONSOLE_HOST, CONSOLE_PORT, HOST, PORT, PUBLIC_URL } = config;
  if (!CONSOLE) throw new OperatorError("CONSOLE is off: set CONSOLE=on, here and for the service, and restart it");
  const isApart = CONSOLE_PORT !== undefined;
  const [host, port] = isApart ? [CONSOLE_HOST, CONSOLE_PORT] : [HOST, PORT];
  const direct = port === 0 ? undefined : `http://${reachableHost(host)}:${port}/console/`;
  const url = isApart || PUBLIC_URL === undefined ? direct : `${new URL(PUBLIC_URL).origin}${consolePath(config)}/`;
  if (url === undefined)
    throw new OperatorError(
      `cannot tell where the console is: ${isApart ? "CONSOLE_PORT" : "PORT"} is 0. Set it to the port in use`,
    );
  // Behind another path, the pages would load their parts through the proxy.
  const isDirectlyThere = direct !== url && consolePath(config) === "/console";
  return { url, directUrl: isDirectlyThere ? direct : undefined };
}

function textOf({ url, directUrl }: Places, link: ConsoleLink): string {
  const direct = directUrl && `\nOn the machine of the service:\n${addressOfLink(directUrl, link)}\n`;
  return `${addressOfLink(url, link)}\n${direct ?? ""}`;
}

const jsonOf = ({ url, directUrl }: Places, link: ConsoleLink): object => ({
  url: addressOfLink(url, link),
  directUrl: directUrl && addressOfLink(directUrl, link),
  name: link.name,
  worksUntil: isoTime(link.expiresAtMs),
});

function failAfterDelivery(error: unknown): never {
  if (!(error instanceof StoreUnavailable)) throw error;
  throw new OperatorError(`the link above does not work: the database is unavailable: ${error.message}`);
}

async function signOut(options: YesOption & { readonly all?: true }, command: Command): Promise<void> {
  // Commander assigns an option that the parent command has, too, to the parent.
  const { json } = command.optsWithGlobals<JsonOption>();
  if (!options.all) return command.error("error: required option '--all' not specified");
  const isConfirmed = confirmation(options, command);
  await withStore(async ({ sessions }, config) => {
    const { length } = await sessions.digests({ nowMs: systemClock.nowMs() });
    if (!(await isConfirmed(`${countOf(length, "session")} will end, and links that were not used yet.`))) return;
    const ended = await sessions.signOutAll({ ...authorOf(config), atMs: systemClock.nowMs() });
    if (json) return printJson({ sessionsEnded: ended });
    print(
      `${ended === 1 ? "1 session was" : `${formatNumber(ended)} sessions were`} ended. Links that were not used yet no longer work.`,
    );
  });
}
