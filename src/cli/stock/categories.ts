import { Argument, type Command, InvalidArgumentError } from "commander";
import { Mistake } from "../../base/mistake.ts";
import { OperatorError } from "../../base/operator-error.ts";
import { quote } from "../../base/text/text.ts";
import { systemClock } from "../../base/time/clock.ts";
import type { Config } from "../../config.ts";
import type { Authorship } from "../../domain/journal.ts";
import { sentencesOnTakenName } from "../../domain/refusal-sentences.ts";
import { CATEGORY_FIELDS, type Category } from "../../domain/stock/category.ts";
import { fold } from "../../domain/stock/fold.ts";
import { authorOf } from "../arguments/author.ts";
import { withStore } from "../arguments/context.ts";
import { addExamples } from "../arguments/examples.ts";
import { idOf, type JsonOption, parseLimit } from "../arguments/options.ts";
import { ownCommand } from "../own-command.ts";
import { print, printJson } from "../terminal/print.ts";
import type { Column } from "../terminal/table.ts";
import { exactId, firstRows, LIMIT_DEFAULT, LIMIT_HELP, printRows } from "./lists.ts";

export function addCategories(program: Command): void {
  const categories = program
    .command("categories")
    .description("Name categories. A category is a number that animals have; it need not have a name.");
  categories
    .command("list")
    .description("List the categories that have a name, by number; those that are searched by name, by name.")
    .option("--name <beginning>", "only names that begin with this, whatever their case")
    .option("--limit <number>", LIMIT_HELP, parseLimit)
    .action(listCategories);
  const put = categories
    .command("put")
    .addArgument(new Argument("<category>", "the number of the category").argParser(idOf("category")))
    .addArgument(new Argument("<name>", "its name, which no other category has").argParser(parseName))
    .description("Name a category, or rename it.")
    .action(putCategory);
  addExamples(put, [['categories put 7 "Guinea pigs"', "animals of category 7 are guinea pigs now"]]);
  categories
    .command("delete")
    .argument("<category>", "the number of the category", idOf("category"))
    .description("Remove the name of a category. Its animals stay as they are, and it can be named again.")
    .action(deleteCategory);
}

function parseName(text: string): string {
  const name = CATEGORY_FIELDS.name.parse(text);
  if (name instanceof Mistake) throw new InvalidArgumentError(`A name ${name.text}.`);
  return name;
}

interface ListOptions extends JsonOption {
  readonly name?: string;
  readonly limit?: number;
}

async function listCategories({ name, limit = LIMIT_DEFAULT, json }: ListOptions): Promise<void> {
  const folded = name === undefined ? undefined : fold(name);
  await withStore(async ({ categories }) => {
    const page = await firstRows<Category>(limit, (after, size) => categories.list({ name: folded, after, size }));
    const none =
      name === undefined
        ? `No category has a name yet. To name one: ${ownCommand("categories put")}`
        : "There are no such categories.";
    printRows(page, { columns: COLUMNS, jsonOf, none, json });
  });
}

const COLUMNS: readonly Column<Category>[] = [
  { title: "CATEGORY", align: "right", text: ({ id }) => String(id) },
  { title: "NAME", shrinksTo: 16, text: ({ name }) => name },
];

const jsonOf = ({ id, name }: Category) => ({ id: exactId(id), name });

const authorship = (config: Config): Authorship => ({ ...authorOf(config), atMs: systemClock.nowMs() });

async function putCategory(id: bigint, name: string, { json }: JsonOption): Promise<void> {
  await withStore(async ({ categories }, config) => {
    const put = await categories.put({ id, name, author: authorship(config) });
    if (put.kind === "refused" && put.reason.kind === "name_taken")
      throw new OperatorError(`category ${id} was not named. ${sentencesOnTakenName(put.reason.by)}`);
    if (put.kind !== "done") throw new Error("a naming without a precondition was refused for one");
    if (json) printJson({ ...jsonOf(put.value.category), isNew: put.value.isNew });
    else print(`Category ${id} is ${put.value.isNew ? "" : "now "}called ${quote(put.value.category.name)}.`);
  });
}

async function deleteCategory(id: bigint, { json }: JsonOption): Promise<void> {
  await withStore(async ({ categories }, config) => {
    const deleted = await categories.delete({ id, author: authorship(config) });
    if (deleted.kind !== "done")
      throw new OperatorError(
        `category ${id} has no name. To see those that have one: ${ownCommand("categories list")}`,
      );
    if (json) printJson(jsonOf(deleted.value));
    else print(`Category ${id} is no longer called ${quote(deleted.value.name)}.`);
  });
}
