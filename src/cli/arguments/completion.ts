import { Argument, type Command, type Option } from "commander";
import { pagesOf } from "../../base/read-all.ts";
import { harmless } from "../../base/text/text.ts";
import { KEY_ID_PREFIX, type Key } from "../../domain/keys/key.ts";
import { SCOPES } from "../../domain/keys/scope.ts";
import { print } from "../terminal/print.ts";
import bash from "./completion.bash" with { type: "text" };
import fish from "./completion.fish" with { type: "text" };
import zsh from "./completion.zsh" with { type: "text" };
import { withStore } from "./context.ts";
import { type ChoiceParser, parseScopes } from "./options.ts";

// Shell completion. The script for a shell asks the program itself, by a hidden command, what may come next. The answer
// comes from the declared commands, so no script is ever out of date.

const SCRIPTS = { bash, zsh, fish };
const SHELLS = Object.keys(SCRIPTS) as (keyof typeof SCRIPTS)[];

export function addCompletion(program: Command): void {
  program
    .command("completion")
    .addArgument(new Argument("<shell>", "the shell to complete commands in").choices(SHELLS))
    .description("Print a script that completes commands and options with Tab. Its first lines say how to load it.")
    .action((shell: keyof typeof SCRIPTS) => print(SCRIPTS[shell].trim()));
  program
    .command("complete", { hidden: true })
    .argument("[words...]")
    .description("Complete the last word, for the scripts that the command completion prints.")
    .action(async (words: string[]) => print((await complete(program, words)).join("\n")));
}

/**
 * The lines that a script gets: "words", "files" or "folders", which are on disk, and for each word itself, a tab and
 * its meaning.
 */
type Completion = readonly string[];

/** Completes the last word, which may be empty. The name of the program is not among the words. */
async function complete(program: Command, words: readonly string[]): Promise<Completion> {
  const typed = words.at(-1) ?? "";
  const { command, position, option, hasEndOfOptions } = placeAfter(program, words.slice(0, -1));
  if (option) return isKey(option) ? keysBeginning(typed, "") : valuesOf(option, typed, "");
  if (typed.startsWith("-") && !hasEndOfOptions) {
    const [, flag, value = ""] = /^(--[^=]+)=(.*)$/s.exec(typed) ?? [];
    if (flag === undefined) return wordsBeginning(typed, optionsOf(command, words));
    const named = optionNamed(command, flag);
    if (named && isKey(named)) return keysBeginning(value, `${flag}=`);
    return named ? valuesOf(named, value, `${flag}=`) : NOTHING;
  }
  if (position === 0 && command.commands.length > 0) return wordsBeginning(typed, commandsOf(command));
  const places = command.registeredArguments;
  const argument = places[position] ?? places.findLast(({ variadic }) => variadic);
  if (argument && isPlaceOfKey(argument, command)) return keysBeginning(typed, "");
  return argument ? valuesFor(argument.name(), argument.argChoices ?? [], typed, "") : NOTHING;
}

const NOTHING: Completion = ["words"];

/** The command, the number of its arguments so far, and the option whose value comes next. */
function placeAfter(program: Command, words: readonly string[]) {
  let [command, position, hasEndOfOptions] = [program, 0, false];
  let option: Option | undefined;
  for (const word of words) {
    if (option) option = undefined;
    else if (word === "--") hasEndOfOptions = true;
    else if (word.startsWith("-") && !hasEndOfOptions) {
      const named = optionNamed(command, word);
      option = named && (named.required || named.optional) ? named : undefined;
    } else if (word === "help" && position === 0 && command.commands.length > 0) {
      // A command follows, as without it.
    } else {
      const next = position === 0 ? command.commands.find((each) => each.name() === word) : undefined;
      if (next) command = next;
      else position++;
    }
  }
  return { command, position, option, hasEndOfOptions };
}

const optionNamed = (command: Command, flag: string): Option | undefined =>
  command.options.find(({ short, long }) => flag === short || flag === long);

/** The options that have not been given yet. */
const optionsOf = (command: Command, given: readonly string[]): string[] =>
  command
    .createHelp()
    .visibleOptions(command)
    .filter(({ short, long }) => !given.slice(0, -1).some((word) => word === short || word === long))
    .map(({ long, short, description }) => `${long ?? short}\t${beginningOf(description)}`);

const commandsOf = (command: Command): string[] =>
  command
    .createHelp()
    .visibleCommands(command)
    .map((each) => `${each.name()}\t${beginningOf(each.description())}`);

/** The first sentence: a shell shows one line. */
const beginningOf = (text: string): string => (/^.*?(?=\.\s|\.?$)/m.exec(text)?.[0] ?? text).trim();

function valuesOf(option: Option, typed: string, before: string): Completion {
  if (option.parseArg === (parseScopes as unknown)) return scopesAfter(typed, before);
  const name = /[<[]([\w-]+)/.exec(option.flags)?.[1] ?? "";
  const { choices = [] } = (option.parseArg ?? {}) as Partial<ChoiceParser<string>>;
  return valuesFor(name, option.argChoices ?? choices, typed, before);
}

/** Completes the last of several scopes, separated by commas. */
function scopesAfter(typed: string, before: string): Completion {
  const [, list = "", last = ""] = /^(.*,)?([^,]*)$/s.exec(typed) ?? [];
  const left = SCOPES.filter((scope) => !list.split(",").includes(scope));
  return valuesFor("scopes", list === "" ? ["all", ...left] : left, last, before + list);
}

/** A place for a file or folder is recognized by its name. */
function valuesFor(name: string, choices: readonly string[], typed: string, before: string): Completion {
  if (choices.length === 0 && /file/.test(name)) return ["files"];
  if (choices.length === 0 && /folder/.test(name)) return ["folders"];
  return wordsBeginning(
    before + typed,
    choices.map((value) => `${before}${value}\t`),
  );
}

const isKey = (option: Option): boolean => option.attributeName() === "key";

/** A place for a key is called key, or among the commands about keys its id. */
const isPlaceOfKey = (argument: Argument, { parent }: Command): boolean =>
  argument.name() === "key" || (argument.name() === "id" && parent?.name() === "keys");

/** The most keys that are looked through, so that Tab answers at once. */
const KEYS_SEEN = 20_000;
const KEYS_OFFERED = 200;
const KEYS_PAGE = 1_000;
/** Shells take any other name apart, or would have to quote it: such a key is offered by its id. */
const PLAIN_NAME = /^[\p{L}\p{N}_.@+-]+$/u;

/** The names of keys, and ids where a name does not tell which key is meant. Without a database there are none. */
async function keysBeginning(typed: string, before: string): Promise<Completion> {
  const keys = await knownKeys().catch(() => []);
  const counts = new Map<string, number>();
  for (const { name } of keys) counts.set(name, (counts.get(name) ?? 0) + 1);
  const isId = typed.startsWith(KEY_ID_PREFIX);
  const lines = keys.map(({ id, name, plan }) =>
    !isId && PLAIN_NAME.test(name) && counts.get(name) === 1 ? `${name}\t${id}, ${plan}` : `${id}\t${harmless(name)}`,
  );
  const [kind = "words", ...found] = wordsBeginning(typed, lines);
  return [kind, ...found.slice(0, KEYS_OFFERED).map((line) => before + line)];
}

const knownKeys = (): Promise<readonly Key[]> =>
  withStore(async ({ keys }) => {
    const known: Key[] = [];
    const read = (last: Key | undefined) => keys.listSome({ afterId: last?.id ?? "", size: KEYS_PAGE });
    for await (const page of pagesOf(KEYS_PAGE, read)) {
      known.push(...page);
      if (known.length >= KEYS_SEEN) break;
    }
    return known;
  });

const wordsBeginning = (typed: string, lines: readonly string[]): Completion => [
  "words",
  ...lines.filter((line) => line.startsWith(typed)),
];
