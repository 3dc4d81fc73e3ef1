import { hostname } from "node:os";
import { type Command, InvalidArgumentError } from "commander";
import { OperatorError } from "../base/operator-error.ts";
import { reachableHost } from "../base/system/reachable-host.ts";
import { countOf } from "../base/text/text.ts";
import { systemClock } from "../base/time/clock.ts";
import { type Config, consoleUrlOf } from "../config.ts";
import { addressOfLink, type ConsoleLink, makeConsoleLink, mistakeInLinkName } from "../console/auth/link.ts";
import { LINK_LASTS_MS } from "../domain/console-session.ts";
import { type Store, StoreUnavailable } from "../store/ports/store.ts";
import { authorOf } from "./arguments/author.ts";
import { aliveInstances, readVariables, withStore } from "./arguments/context.ts";
import type { JsonOption } from "./arguments/options.ts";
import { statusOf } from "./ready.ts";
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
    const places = await placesOf(config, store);
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

interface Places {
  /** The address of the console for everybody. */
  readonly url: string;
  /** The one on the machine of the service, if that differs and works. */
  readonly directUrl: string | undefined;
}

/** Settings that this command is given decide. Without them, an instance on this machine says where its console is. */
async function placesOf(config: Config, store: Store): Promise<Places> {
  if (!config.CONSOLE)
    throw new OperatorError("CONSOLE is off: set CONSOLE=on, here and for the service, and restart it");
  const { PORT, CONSOLE_PORT, PUBLIC_URL } = readVariables();
  const isTold = [PORT, CONSOLE_PORT, PUBLIC_URL].some((value) => value && value !== ANY_PORT);
  return (isTold ? undefined : await placesOfInstance(store)) ?? placesBySettings(config);
}

const ANY_PORT = "0";
const ANSWER_TIMEOUT_MS = 1_000;

async function placesOfInstance(store: Store): Promise<Places | undefined> {
  const here = (await aliveInstances(store)).filter(({ host }) => host === hostname());
  for (const { consoleUrl, consoleDirectUrl } of here.toReversed())
    if (consoleUrl && consoleDirectUrl && (await isThere(consoleDirectUrl)))
      return placesAt(consoleUrl, consoleDirectUrl);
  return undefined;
}

/** An instance that was killed is not known to be lost for half a minute. */
const isThere = (url: string): Promise<boolean> =>
  statusOf(new URL("/healthz", url).href, ANSWER_TIMEOUT_MS).then(
    () => true,
    () => false,
  );

function placesBySettings(config: Config): Places {
  const { CONSOLE_HOST, CONSOLE_PORT, HOST, PORT, PUBLIC_URL } = config;
  const isApart = CONSOLE_PORT !== undefined;
  const [host, port] = isApart ? [CONSOLE_HOST, CONSOLE_PORT] : [HOST, PORT];
  if (port === 0 && (isApart || PUBLIC_URL === undefined))
    throw new OperatorError(
      `cannot tell where the console is: ${isApart ? "CONSOLE_PORT" : "PORT"} is 0, and no service on this machine has said where it listens. Set it to the port in use`,
    );
  const directUrl = `http://${reachableHost(host)}:${port}/console/`;
  return placesAt(consoleUrlOf(config, directUrl), port === 0 ? undefined : directUrl);
}

/** Behind another path, the pages would load their parts through the proxy: they work only there. */
const placesAt = (url: string, directUrl: string | undefined): Places => ({
  url,
  directUrl: directUrl !== url && new URL(url).pathname === "/console/" ? directUrl : undefined,
});

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
