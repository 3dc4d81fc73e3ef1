import { choiceField, maybe } from "../../../base/json/fields.ts";
import { done, refused } from "../../../base/result.ts";
import { DAY_MS, SECOND_MS } from "../../../base/time/clock.ts";
import { PLAN_NAMES } from "../../../domain/keys/plan.ts";
import { comparedName, type KeyList, listKeys } from "../../../keys/queries/list.ts";
import { TRUE_STATES, type TrueState, useOf } from "../../../keys/queries/use.ts";
import type { KeyListView } from "../../api/index.ts";
import { ConsoleFault } from "../../fault.ts";
import { PAGE_SIZE, plainTextField, textIn, withQuery } from "../../forms/forms.ts";
import { inOrder, isBy, KEY_SORTS } from "./order.ts";
import { keyRowView } from "./views.ts";

/** The first list may take this long: without used quotas it would be worth less. */
const COUNTS_WAIT_MS = 2 * SECOND_MS;
const WEEK_MS = 7 * DAY_MS;
const PAGE_NUMBER = /^[1-9][0-9]{0,5}$/;

const NOT_REVOKED = "not_revoked";
const KEY_FILTER = {
  plan: maybe(choiceField(PLAN_NAMES)),
  state: maybe(choiceField<TrueState | typeof NOT_REVOKED>([...TRUE_STATES, NOT_REVOKED])),
  name: maybe(plainTextField),
  sort: maybe(choiceField(KEY_SORTS)),
};

/** The newest first, unless the query says otherwise. */
export const listOfKeys = withQuery(KEY_FILTER, async ({ cache, clock }, _, { state, sort, ...filter }, { query }) => {
  const wantedPage = Number(PAGE_NUMBER.exec(textIn(query, "page") ?? "1")?.[0] ?? 1);
  const all = await cache.keys.list();
  const tallies = (await cache.keys.counted.latest(COUNTS_WAIT_MS))?.value.tallies;
  const day = (await cache.busiest.ofSpans.day.latest(isBy("refused", sort) ? COUNTS_WAIT_MS : undefined))?.value;
  const refusals = day?.refused;
  if (isBy("today", sort) && !tallies) return UNKNOWN_USE;
  if (isBy("refused", sort) && !refusals) return UNKNOWN_REFUSALS;
  const counters = async () => (tallies ? done(async () => tallies) : refused({ kind: "counted_in_redis" } as const));
  const parts = { keys: { list: async () => all }, counters, clock };
  const wanted = { ...filter, state: state === NOT_REVOKED ? undefined : state, search: textIn(query, "search") };
  const listed = await listKeys(parts, wanted);
  if (listed.kind === "refused") return UNKNOWN_BANS;
  const nowMs = clock.nowMs();
  const { total, areBansKnown }: KeyList = listed.value;
  const keys = listed.value.keys.filter((row) => state !== NOT_REVOKED || row.state !== "revoked");
  const namesakes = Map.groupBy(all, ({ name }) => comparedName(name));
  const pages = Math.max(1, Math.ceil(keys.length / PAGE_SIZE));
  const page = Math.min(wantedPage, pages);
  const ordered = inOrder(keys, sort, { tallies, refusals, nowMs });
  return {
    keys: ordered.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE).map((row) => ({
      ...keyRowView(row, tallies && useOf(row.key, tallies.get(row.key.id), nowMs).day),
      refused: refusals ? (refusals.get(row.key.id) ?? 0) : null,
      hours: day?.seriesOf(row.key.id) ?? null,
      isNameShared: (namesakes.get(comparedName(row.key.name))?.length ?? 0) > 1,
    })),
    page,
    pages,
    matching: keys.length,
    total,
    usedThisWeek: all.filter(({ lastUsedAtMs = 0 }) => lastUsedAtMs > nowMs - WEEK_MS).length,
    areBansKnown,
  } satisfies KeyListView;
});

const unknown = (field: string, message: string): ConsoleFault =>
  new ConsoleFault(503, "counts_unknown", message, { field });

const UNKNOWN_BANS = unknown(
  "state",
  "Redis does not answer, so bans cannot be shown. Choose another state, or try again in a moment.",
);
const UNKNOWN_USE = unknown(
  "sort",
  "What was used today is not known at the moment. Sort by something else, or try again in a moment.",
);
const UNKNOWN_REFUSALS = unknown(
  "sort",
  "The refused requests are still being counted. Sort by something else, or try again in a moment.",
);
