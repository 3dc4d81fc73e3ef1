import { hostname } from "node:os";
import { type Command, InvalidArgumentError } from "commander";
import { OperatorError } from "../base/operator-error.ts";
import { reachableHost } from "../base/system/reachable-host.ts";
import { countOf, quote } from "../base/text/text.ts";
import { systemClock } from "../base/time/clock.ts";
import { type Config, consoleUrlOf } from "../config.ts";
import { addressOfLink, type ConsoleLink, makeConsoleLink, mistakeInLinkName } from "../console/auth/link.ts";
import { ROLES, type Role } from "../domain/console-role.ts";
import { LINK_LASTS_MS } from "../domain/console-session.ts";
import { type Store, StoreUnavailable } from "../store/ports/store.ts";
import { authorOf } from "./arguments/author.ts";
import { aliveInstances, readVariables, withStore } from "./arguments/context.ts";
import { addExamples } from "./arguments/examples.ts";
import { type JsonOption, oneOf } from "./arguments/options.ts";
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
    .option("--role <role>", ROLES_HELP, oneOf("roles", ROLES), "operator")
    .action(printLink);
  addExamples(console, [
    ["console --name Zoë --role clerk", "for somebody who looks after animals and orders"],
    ["console sign-out Zoë", "who has left"],
  ]);
  addYes(console.command("sign-out"))
    .argument("[name]", "the person whose sessions and links end, as the journal names them")
    .description("End sessions of the console, and links that were not used yet: one person's, or everybody's.")
    .option("--all", "everybody's, wherever they are signed in")
    .action(signOut);
}

const ROLES_HELP =
  "what they may do: an operator everything, a clerk no keys but animals, categories, orders and imports, a viewer only look";

function parseName(text: string): string {
  const mistake = mistakeInLinkName(text);
  if (mistake) throw new InvalidArgumentError(`A name ${mistake.text}.`);
  return text;
}

interface LinkOptions extends JsonOption {
  readonly name?: string;
  readonly role: Role;
}

async function printLink({ name, role, json }: LinkOptions): Promise<void> {
  await withStore(async (store, config) => {
    const places = await placesOf(config, store);
    const author = authorOf(config);
    const deliver = (link: ConsoleLink) =>
      json ? writeSecretJson(jsonOf(places, link)) : writeSecret(textOf(places, link));
    const parts = { sessions: store.sessions, clock: systemClock, author, deliver };
    // If this fails, the link has been printed, and does not work.
    await makeConsoleLink(parts, { name: name ?? author.by, role }).catch(failAfterDelivery);
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
  role: link.role,
  worksUntil: isoTime(link.expiresAtMs),
});

function failAfterDelivery(error: unknown): never {
  if (!(error instanceof StoreUnavailable)) throw error;
  throw new OperatorError(`the link above does not work: the database is unavailable: ${error.message}`);
}

type SignOutOptions = YesOption & { readonly all?: true };

async function signOut(name: string | undefined, options: SignOutOptions, command: Command): Promise<void> {
  // Commander assigns an option that the parent command has, too, to the parent.
  const { json } = command.optsWithGlobals<JsonOption>();
  if ((name === undefined) === (options.all === undefined))
    return command.error("error: say who is signed out: a name, or --all for everybody");
  return name === undefined ? signOutAll(options, command, json) : signOutPerson(name, json);
}

/** It asks nothing: a new link makes up for it. */
async function signOutPerson(name: string, json: true | undefined): Promise<void> {
  await withStore(async (store, config) => {
    const author = { ...authorOf(config), atMs: systemClock.nowMs() };
    const { sessions, links } = await store.sessions.signOutOf({ name, author });
    if (sessions + links === 0)
      throw new OperatorError(
        `nobody called ${quote(name)} is signed in, and no link waits for them: names are those that links were made for, letter by letter`,
      );
    if (json) return printJson({ name, sessionsEnded: sessions, linksEnded: links });
    print(`${quote(name)} was signed out: ${countOf(sessions, "session")} and ${countOf(links, "unused link")} ended.`);
  });
}

async function signOutAll(options: YesOption, command: Command, json: true | undefined): Promise<void> {
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
