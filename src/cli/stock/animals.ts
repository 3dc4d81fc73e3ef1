import type { Command } from "commander";
import { OperatorError } from "../../base/operator-error.ts";
import { ANIMAL_STATUSES, type Animal, type AnimalStatus } from "../../domain/stock/animal.ts";
import type { Category } from "../../domain/stock/category.ts";
import { fold } from "../../domain/stock/fold.ts";
import type { Order } from "../../domain/stock/order.ts";
import type { Store } from "../../store/ports/store.ts";
import { withStore } from "../arguments/context.ts";
import { addExamples } from "../arguments/examples.ts";
import { idOf, type JsonOption, oneOf, parseLimit } from "../arguments/options.ts";
import { ownCommand } from "../own-command.ts";
import type { Tone } from "../terminal/colour.ts";
import { formatMinute, print, printJson } from "../terminal/print.ts";
import { type Column, facts } from "../terminal/table.ts";
import { exactId, firstRows, LIMIT_DEFAULT, LIMIT_HELP, printRows } from "./lists.ts";
import { jsonOfOrder } from "./orders.ts";

export function addAnimalsList(animals: Command): void {
  const list = animals
    .command("list")
    .description("List animals, newest first; those that are searched by name, in the order of names.")
    .option(
      "--status <status>",
      `only those that are ${ANIMAL_STATUSES.join(", ")}`,
      oneOf("statuses", ANIMAL_STATUSES),
    )
    .option("--category <id>", "only animals of this category", idOf("category"))
    .option("--name <beginning>", "only names that begin with this, whatever their case; beside --status alone")
    .option("--limit <number>", LIMIT_HELP, parseLimit)
    .action(listAnimals);
  addExamples(list, [
    ["animals list --status available --limit 10", "the ten newest that can be sold"],
    ["animals list --name rex --json", "for a script: every Rex, REX and Rexi"],
  ]);
}

interface ListOptions extends JsonOption {
  readonly status?: AnimalStatus;
  readonly category?: bigint;
  readonly name?: string;
  readonly limit?: number;
}

async function listAnimals(options: ListOptions, command: Command): Promise<void> {
  const { status, category: categoryId, name, limit = LIMIT_DEFAULT, json } = options;
  if (name !== undefined && categoryId !== undefined)
    return command.error("error: option '--name' cannot be used with option '--category <id>'");
  const folded = name === undefined ? undefined : fold(name);
  const sort = folded === undefined ? "-id" : undefined;
  await withStore(async (store) => {
    const page = await firstRows<Animal>(limit, (after, size) =>
      store.animals.list({ status, categoryId, name: folded, sort, after, size }),
    );
    const rows = await withCategories(store, page.rows);
    const isFiltered = status !== undefined || categoryId !== undefined || name !== undefined;
    const none = isFiltered ? "There are no such animals." : `There are no animals yet. ${TO_ADD()}`;
    printRows({ rows, more: page.more }, { columns: COLUMNS, jsonOf, none, json });
  });
}

const TO_ADD = (): string => `To add those of a file: ${ownCommand("animals import")}`;

interface ShownAnimal extends Animal {
  readonly category: Category | undefined;
}

async function withCategories({ categories }: Store, animals: readonly Animal[]): Promise<ShownAnimal[]> {
  const ids = [...new Set(animals.map(({ categoryId }) => categoryId))];
  const named = new Map<bigint, Category>();
  for (let i = 0; i < ids.length; i += CATEGORIES_AT_ONCE)
    for (const each of await categories.getSeveral(ids.slice(i, i + CATEGORIES_AT_ONCE))) named.set(each.id, each);
  return animals.map((animal) => ({ ...animal, category: named.get(animal.categoryId) }));
}

const CATEGORIES_AT_ONCE = 500;

const TONES: Readonly<Record<AnimalStatus, Tone>> = { available: "good", pending: "warning", sold: "quiet" };

const COLUMNS: readonly Column<ShownAnimal>[] = [
  { title: "ID", align: "right", text: ({ id }) => String(id) },
  { title: "NAME", shrinksTo: 16, text: ({ name }) => name },
  { title: "STATUS", text: ({ status }) => status, tone: ({ status }) => TONES[status] },
  { title: "CATEGORY", align: "right", rank: 1, text: ({ categoryId }) => String(categoryId) },
  { title: "CALLED", rank: 2, shrinksTo: 12, text: ({ category }) => category?.name ?? "-" },
];

const jsonOf = ({ id, name, status, categoryId, category }: ShownAnimal) => ({
  id: exactId(id),
  name,
  status,
  categoryId: exactId(categoryId),
  categoryName: category?.name ?? null,
});

export function addAnimalsShow(animals: Command): void {
  animals
    .command("show")
    .argument("<animal>", "the id of the animal", idOf("animal"))
    .description("Show an animal, its category, and its orders.")
    .action(showAnimal);
}

const ORDERS_SHOWN = 20;

async function showAnimal(id: bigint, { json }: JsonOption): Promise<void> {
  await withStore(async (store) => {
    const animal = await store.animals.get(id);
    if (!animal) throw new OperatorError(`there is no animal ${id}. To see all animals: ${ownCommand("animals list")}`);
    const [shown] = (await withCategories(store, [animal])) as [ShownAnimal];
    const orders = await store.orders.list({ animalId: id, sort: "-id", size: ORDERS_SHOWN });
    if (json) return printJson({ ...jsonOf(shown), orders: orders.rows.map(jsonOfOrder) });
    print(facts(factsOf(shown, orders.rows, orders.more)));
  });
}

const factsOf = ({ id, name, status, categoryId, category }: ShownAnimal, orders: readonly Order[], more: boolean) =>
  [
    ["id", String(id)],
    ["name", name],
    ["status", status],
    ["category", category ? `${categoryId} (${category.name})` : String(categoryId)],
    ...(orders.length === 0 ? [["orders", "none"] as const] : orders.map(lineOf)),
    ...(more ? [["", `and older ones: ${ownCommand(`orders list --animal ${id}`)}`] as const] : []),
  ] as const;

const lineOf = ({ id, status, placedAtMs }: Order, i: number): readonly [string, string] => [
  i === 0 ? "orders" : "",
  `${id}, ${status}, placed ${formatMinute(placedAtMs)}`,
];
