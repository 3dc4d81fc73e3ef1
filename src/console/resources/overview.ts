import { OPERATOR_ONLY, READS_KEYS } from "../../domain/console-role.ts";
import { type Instance, stateOfInstance } from "../../domain/usage/instance.ts";
import { usageInAll } from "../../keys/queries/usage.ts";
import { useOf } from "../../keys/queries/use.ts";
import type { KeyRequests } from "../../store/ports/store.ts";
import { displayName } from "../../store/urls/database-url.ts";
import type { Alert, BusyKeyView, InstanceView, OverviewView } from "../api/index.ts";
import { findAlerts } from "../cached/alerts.ts";
import { SPAN_MS } from "../cached/cache.ts";
import type { CountedKeys } from "../cached/known-keys.ts";
import { ConsoleFault } from "../fault.ts";
import type { ConsoleHandler, ConsoleParts } from "../handler.ts";
import { firstSteps } from "./first-steps.ts";
import { windowView } from "./keys/views.ts";
import { GRAIN_OF, seriesView, spanIn } from "./usage-views.ts";

/** Slow values come from the cache, and are shown with their age. */
export const showOverview: ConsoleHandler = async (
  parts,
  { role },
  { query },
): Promise<OverviewView | ConsoleFault> => {
  const span = spanIn(query);
  if (span instanceof ConsoleFault) return span;
  const { store, clock, settings, cache } = parts;
  const [usage, busiest, stock, instances, keys] = await Promise.all([
    usageInAll({ usage: store.usage, clock }, { sinceMs: SPAN_MS[span], grain: GRAIN_OF[span] }),
    cache.busiest[span].latest(),
    cache.stock.latest(),
    store.instances.list(),
    cache.keys.counted.latest(),
  ]);
  if (usage.kind === "refused") throw new Error(`usage is not kept for a ${span}`);
  const nowMs = clock.nowMs();
  return {
    usage: seriesView(usage.value),
    busiest: READS_KEYS.includes(role)
      ? (busiest?.value.busiest ?? []).map((each) => busyKeyView(each, keys?.value, nowMs))
      : [],
    busiestAsOfMs: busiest?.asOfMs ?? null,
    animals: stock?.value.animals ?? null,
    openOrders: stock?.value.openOrders ?? null,
    instances: instances.map((each) => instanceView(each, nowMs)).filter(({ state }) => state !== "stopped"),
    store: { kind: settings.database.kind, place: displayName(settings.database), bytes: stock?.value.bytes ?? null },
    alerts: await currentAlerts(parts, instances),
    firstSteps:
      keys && OPERATOR_ONLY.includes(role) ? await firstSteps(store, keys.value, usage.value.sum.requests) : null,
    nowMs,
  };
};

/** The alerts, as far as they are known. */
export async function currentAlerts(
  { clock, settings, cache }: ConsoleParts,
  instances: readonly Instance[],
): Promise<readonly Alert[]> {
  const [health, counted, rotations] = await Promise.all([
    cache.health.latest(),
    cache.keys.counted.latest(),
    cache.rotations.latest(),
  ]);
  const keys = counted?.value;
  const nowMs = clock.nowMs();
  const alerts = findAlerts({
    nowMs,
    environment: settings.environment,
    instances,
    health: health?.value,
    // Keys that are not known yet raise no alert.
    bannedKeys: keys && !keys.tallies ? undefined : (keys?.banned ?? 0),
    rotations: rotations?.value ?? [],
  });
  return cache.alerts.note(alerts, nowMs);
}

function busyKeyView(busy: KeyRequests, known: CountedKeys | undefined, nowMs: number): BusyKeyView {
  const key = known?.keys.get(busy.keyId);
  const today = key && known?.tallies && useOf(key, known.tallies.get(key.id), nowMs).day;
  return { ...busy, name: key?.name ?? null, today: today ? windowView(today) : null };
}

const instanceView = (instance: Instance, nowMs: number): InstanceView => {
  const { stoppedAtMs, consoleUrl, consoleDirectUrl, ...shown } = instance;
  return { ...shown, state: stateOfInstance(instance, nowMs) };
};
