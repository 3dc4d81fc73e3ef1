import type { AnimalListView, KeyListView, OrderListView } from "../../../src/console/api/index.ts";
import { READS_KEYS } from "../../../src/domain/console-role.ts";
import { call, sentenceOf } from "../../api.ts";
import { now } from "../../clock.ts";
import { goingTo } from "../../commands/registry.ts";
import { type StateLabel, stateLabel } from "../../format/keys.ts";
import { animalStatusLabel, orderStatusLabel, searchedFor } from "../../format/stock.ts";
import { linkTo, withParams } from "../../router.ts";
import { may } from "../../session.ts";

// Finds keys, animals and orders by the searches of their lists. The server has all keys in memory, and searches for the
// others in an index, so nothing is scanned.

/** A line of the palette. */
export interface Choice {
  readonly id: string;
  readonly title: string;
  /** Tells it from others of the same name. */
  readonly note?: string;
  readonly state?: StateLabel;
  readonly run: () => void;
}

export interface FoundGroup {
  readonly title: string;
  readonly choices: readonly FoundChoice[];
  /** Leads to the list, if that has more. */
  readonly all: Choice | undefined;
}

export interface FoundChoice extends Choice {
  /** The texts that the search looked at. */
  readonly names: readonly (string | null)[];
}

export interface Found {
  readonly groups: readonly FoundGroup[];
  /** The reason if something could not be searched. */
  readonly problem: string | undefined;
}

const SHOWN = 5;

export async function find(text: string, signal: AbortSignal): Promise<Found> {
  const searches = [...(may(READS_KEYS) ? [findKeys] : []), findAnimals, findOrders];
  const results = await Promise.allSettled(searches.map((search) => search(text, signal)));
  const failed = results.find((result) => result.status === "rejected");
  return {
    groups: results.flatMap((result) => (result.status === "fulfilled" && result.value ? [result.value] : [])),
    problem: failed && sentenceOf(failed.reason),
  };
}

function groupOf(title: string, found: readonly FoundChoice[], hasMore: boolean, href: string): FoundGroup {
  const all = goingTo(`All ${title.toLowerCase()} that match`, href);
  return {
    title,
    choices: found.slice(0, SHOWN),
    all: hasMore || found.length > SHOWN ? { id: `all ${title}`, title: all.title, run: all.run } : undefined,
  };
}

async function findKeys(search: string, signal: AbortSignal): Promise<FoundGroup> {
  const { keys, pages } = await call<KeyListView>(withParams("/keys", { search }), { signal });
  const found = keys.map((key) => ({
    ...goingTo(key.name, linkTo(`/keys/${encodeURIComponent(key.id)}`)),
    id: `key ${key.id}`,
    note: key.id,
    state: stateLabel(key, now.peek()),
    names: [key.name, key.id],
  }));
  return groupOf("Keys", found, pages > 1, linkTo("/keys", { search }));
}

/** A number is an id, and may be the beginning of a name, too. */
async function findAnimals(text: string, signal: AbortSignal): Promise<FoundGroup> {
  const { id } = searchedFor(text);
  const list = (params: { readonly id?: string; readonly name?: string }) =>
    call<AnimalListView>(withParams("/animals", params), { signal });
  const [withId, named] = await Promise.all([id === "" ? undefined : list({ id }), list({ name: text })]);
  const animals = new Map([...(withId?.items ?? []), ...named.items].map((animal) => [animal.id, animal]));
  const found = [...animals.values()].map((animal) => ({
    ...goingTo(animal.name, linkTo(`/animals/${animal.id}`)),
    id: `animal ${animal.id}`,
    note: `id ${animal.id}`,
    state: animalStatusLabel(animal.status),
    names: [animal.name, animal.id],
  }));
  return groupOf("Animals", found, named.next !== null, linkTo("/animals", { name: text }));
}

async function findOrders(search: string, signal: AbortSignal): Promise<FoundGroup> {
  const { items, next } = await call<OrderListView>(withParams("/orders", { search }), { signal });
  const found = items.map(({ id, petId, animalName, reference, status }) => ({
    ...goingTo(`Order ${id}`, linkTo(`/orders/${id}`)),
    id: `order ${id}`,
    note: [animalName ?? `Animal ${petId}`, reference].filter((part) => part !== null).join(", "),
    state: orderStatusLabel(status),
    names: [id, petId, animalName, reference],
  }));
  return groupOf("Orders", found, next !== null, linkTo("/orders", { view: "list", search }));
}
