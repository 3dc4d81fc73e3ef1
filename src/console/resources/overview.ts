import { OPERATOR_ONLY, READS_KEYS } from "../../domain/console-role.ts";
import { type Instance, stateOfInstance } from "../../domain/usage/instance.ts";
import { totalsOfPeriod } from "../../keys/queries/usage-of-period.ts";
import { useOf } from "../../keys/queries/use.ts";
import type { KeyRequests } from "../../store/ports/store.ts";
import { displayName } from "../../store/urls/database-url.ts";
import type { Alert, BusyKeyView, InstanceView, OverviewView } from "../api/index.ts";
import { findAlerts } from "../cached/alerts.ts";
import type { CountedKeys } from "../cached/known-keys.ts";
import { periodOf } from "../cached/periods.ts";
import { ConsoleFault } from "../fault.ts";
import type { ConsoleHandler, ConsoleParts } from "../handler.ts";
import { firstSteps } from "./first-steps.ts";
import { windowView } from "./keys/views.ts";
import { notKept, periodIn, seriesView } from "./usage-views.ts";

/** Slow values come from the cache, and are shown with their age. */
export const showOverview: ConsoleHandler = async (
  parts,
  { role },
  { query },
): Promise<OverviewView | ConsoleFault> => {
  const { store, clock, settings, cache } = parts;
  const nowMs = clock.nowMs();
  const chosen = periodIn(query, nowMs);
  if (chosen instanceof ConsoleFault) return chosen;
  const summedUp = READS_KEYS.includes(role) ? cache.busiest.of(chosen) : undefined;
  const [usage, busiest, stock, instances, keys] = await Promise.all([
    totalsOfPeriod({ usage: store.usage, clock }, periodOf(chosen, nowMs)),
    summedUp?.latest(),
    cache.stock.latest(),
    store.instances.list(),
    cache.keys.counted.latest(),
  ]);
  if (usage.kind === "refused") return notKept(usage.reason);
  return {
    usage: seriesView(usage.value),
    busiest: summedUp
      ? {
          keys: (busiest?.value.busiest ?? []).map((each) => busyKeyView(each, keys?.value, nowMs)),
          asOfMs: busiest?.asOfMs ?? null,
        }
      : null,
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
