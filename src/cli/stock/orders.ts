import { Argument, type Command } from "commander";
import { OperatorError } from "../../base/operator-error.ts";
import { systemClock } from "../../base/time/clock.ts";
import { sentencesOnOrderUpdate } from "../../domain/refusal-sentences.ts";
import { ORDER_STATUSES, type Order, type OrderStatus, transitionsFrom } from "../../domain/stock/order.ts";
import { stepsOf } from "../../domain/stock/order-history.ts";
import type { Store } from "../../store/ports/store.ts";
import { authorOf } from "../arguments/author.ts";
import { withStore } from "../arguments/context.ts";
import { addExamples } from "../arguments/examples.ts";
import { idOf, type JsonOption, oneOf, parseLimit } from "../arguments/options.ts";
import { ownCommand } from "../own-command.ts";
import type { Tone } from "../terminal/colour.ts";
import { addYes, confirmation, type YesOption } from "../terminal/confirmation.ts";
import { formatMinute, formatTime, isoTime, print, printJson } from "../terminal/print.ts";
import { type Column, facts } from "../terminal/table.ts";
import { exactId, firstRows, LIMIT_DEFAULT, LIMIT_HELP, printRows } from "./lists.ts";
import { factOfStep, jsonOfStep, withActors } from "./order-steps.ts";

export function addOrders(program: Command): void {
  const orders = program.command("orders").description("See orders, and move them: approve, deliver or cancel one.");
  addList(orders);
  orders
    .command("show")
    .argument("<order>", "the id of the order", idOf("order"))
    .description("Show an order, its animal, who placed and moved it and when, and what it can become.")
    .action(showOrder);
  addMove(orders);
}

function addList(orders: Command): void {
  const list = orders
    .command("list")
    .description("List orders, newest first.")
    .option("--status <status>", `only those that are ${ORDER_STATUSES.join(", ")}`, oneOf("statuses", ORDER_STATUSES))
    .option("--animal <id>", "only orders for this animal", idOf("animal"))
    .option("--reference <text>", "only orders with exactly this reference; beside --status alone")
    .option("--limit <number>", LIMIT_HELP, parseLimit)
    .action(listOrders);
  addExamples(list, [
    ["orders list --status placed", "those that wait for an approval"],
    ["orders list --reference INV-2026-0042", "the order that a customer asks about"],
  ]);
}

interface ListOptions extends JsonOption {
  readonly status?: OrderStatus;
  readonly animal?: bigint;
  readonly reference?: string;
  readonly limit?: number;
}

async function listOrders(options: ListOptions, command: Command): Promise<void> {
  const { status, animal: animalId, reference, limit = LIMIT_DEFAULT, json } = options;
  if (reference !== undefined && animalId !== undefined)
    return command.error("error: option '--reference' cannot be used with option '--animal <id>'");
  await withStore(async (store) => {
    const page = await firstRows<Order>(limit, (after, size) =>
      store.orders.list({ status, animalId, reference, sort: "-id", after, size }),
    );
    const rows = await withAnimals(store, page.rows);
    const isFiltered = status !== undefined || animalId !== undefined || reference !== undefined;
    const none = isFiltered ? "There are no such orders." : "There are no orders yet. The API places them.";
    printRows({ rows, more: page.more }, { columns: COLUMNS, jsonOf, none, json });
  });
}

interface ShownOrder extends Order {
  readonly animalName: string;
}

const ANIMALS_AT_ONCE = 100;

/** An animal that orders refer to is never deleted. */
async function withAnimals({ animals }: Store, orders: readonly Order[]): Promise<ShownOrder[]> {
  const ids = [...new Set(orders.map(({ animalId }) => animalId))];
  const names = new Map<bigint, string>();
  for (let i = 0; i < ids.length; i += ANIMALS_AT_ONCE) {
    const some = ids.slice(i, i + ANIMALS_AT_ONCE);
    for (const { id, name } of (await animals.list({ ids: some, size: some.length })).rows) names.set(id, name);
  }
  return orders.map((order) => ({ ...order, animalName: names.get(order.animalId) ?? "-" }));
}

/** Orders that wait for somebody stand out. */
const TONES: Readonly<Record<OrderStatus, Tone>> = {
  placed: "warning",
  approved: "good",
  delivered: "quiet",
  cancelled: "quiet",
};

const COLUMNS: readonly Column<ShownOrder>[] = [
  { title: "ORDER", align: "right", text: ({ id }) => String(id) },
  { title: "STATUS", text: ({ status }) => status, tone: ({ status }) => TONES[status] },
  { title: "ANIMAL", align: "right", rank: 1, text: ({ animalId }) => String(animalId) },
  { title: "CALLED", shrinksTo: 12, text: ({ animalName }) => animalName },
  { title: "REFERENCE", rank: 2, shrinksTo: 12, text: ({ reference }) => reference ?? "-" },
  { title: "PLACED", rank: 3, text: ({ placedAtMs }) => formatMinute(placedAtMs) },
  { title: "UPDATED", rank: 4, text: ({ updatedAtMs }) => formatMinute(updatedAtMs) },
];

export const jsonOfOrder = ({ id, animalId, status, reference, placedAtMs, updatedAtMs }: Order) => ({
  id: exactId(id),
  petId: exactId(animalId),
  status,
  reference: reference ?? null,
  placedAt: isoTime(placedAtMs),
  updatedAt: isoTime(updatedAtMs),
});

const jsonOf = (order: ShownOrder) => ({ ...jsonOfOrder(order), petName: order.animalName });

const noSuchOrder = (id: bigint): OperatorError =>
  new OperatorError(`there is no order ${id}. To see all orders: ${ownCommand("orders list")}`);

async function showOrder(id: bigint, { json }: JsonOption): Promise<void> {
  await withStore(async (store) => {
    const record = await store.orders.getRecord(id);
    if (!record) throw noSuchOrder(id);
    const { order } = record;
    const [shown] = (await withAnimals(store, [order])) as [ShownOrder];
    const steps = await withActors(store, stepsOf(record));
    const canBecome = transitionsFrom(order.status);
    if (json) return printJson({ ...jsonOf(shown), canBecome, steps: steps.map(jsonOfStep) });
    print(
      facts([
        ["order", String(id)],
        ["status", order.status],
        ["animal", `${order.animalId} (${shown.animalName})`],
        ["reference", order.reference ?? "none"],
        ["placed", formatTime(order.placedAtMs)],
        ["updated", formatTime(order.updatedAtMs)],
        ...steps.map(factOfStep),
        ["can become", canBecome.join(" or ") || "nothing else"],
      ]),
    );
  });
}

function addMove(orders: Command): void {
  const move = addYes(orders.command("move"))
    .argument("<order>", "the id of the order", idOf("order"))
    .addArgument(new Argument("<status>", "what it becomes").choices(ORDER_STATUSES))
    .description(
      "Move an order: placed → approved → delivered; one that is placed or approved can be cancelled.\n" +
        "Delivered makes its animal sold, cancelled makes it available again; both are final, and asked for.",
    )
    .action(moveOrder);
  addExamples(move, [
    ["orders move 7 approved", "no question: it can still be cancelled"],
    ["orders move 7 delivered --yes", "in a script"],
  ]);
}

const isFinal = (status: OrderStatus): boolean => transitionsFrom(status).length === 0;

async function moveOrder(
  id: bigint,
  to: OrderStatus,
  options: JsonOption & YesOption,
  command: Command,
): Promise<void> {
  const isConfirmed = isFinal(to) ? confirmation(options, command) : undefined;
  await withStore(async (store, config) => {
    const order = await store.orders.get(id);
    if (!order) throw noSuchOrder(id);
    const canMove = transitionsFrom(order.status).includes(to);
    if (canMove && isConfirmed && !(await isConfirmed(`Order ${id} will be ${to}, which is final.`))) return;
    const nowMs = systemClock.nowMs();
    const moved = await store.orders.update({ orderId: id, to, nowMs, author: { ...authorOf(config), atMs: nowMs } });
    if (moved.kind !== "done") throw refusalOf(moved, id);
    const [shown] = (await withAnimals(store, [moved.value])) as [ShownOrder];
    if (options.json) return printJson(jsonOf(shown));
    print(`Order ${id} is now ${to}.`);
  });
}

type Moved = Awaited<ReturnType<Store["orders"]["update"]>>;

/** Somebody else may have moved it since it was read. */
function refusalOf(moved: Exclude<Moved, { kind: "done" }>, id: bigint): Error {
  if (moved.kind === "refused" && moved.reason.kind === "invalid_transition")
    return new OperatorError(`order ${id} was not moved. ${sentencesOnOrderUpdate(moved.reason)}`);
  return noSuchOrder(id);
}
