import { READS_KEYS } from "../../domain/console-role.ts";
import { stateOfInstance } from "../../domain/usage/instance.ts";
import type { Count, FrameView } from "../api/index.ts";
import type { ConsoleHandler } from "../handler.ts";
import { currentAlerts } from "./overview.ts";

/** The numbers beside every page. They come from the cache: no request counts anything. */
export const showFrame: ConsoleHandler = async (parts, { role }): Promise<FrameView> => {
  const { store, clock, cache, settings } = parts;
  const [stock, keys, instances] = await Promise.all([
    cache.stock.latest(),
    cache.keys.counted.latest(),
    store.instances.list(),
  ]);
  const nowMs = clock.nowMs();
  const alive = instances.filter((instance) => stateOfInstance(instance, nowMs) === "alive");
  return {
    keys: READS_KEYS.includes(role) ? (keys?.value.keys.size ?? null) : null,
    animals: sumOf(stock?.value.animals),
    openOrders: sumOf(stock?.value.openOrders),
    // This one is alive, even if it has not registered yet, which it never does on a replica.
    instances: Math.max(1, alive.length),
    versions: alive.length === 0 ? [settings.version] : [...new Set(alive.map(({ version }) => version))].sort(),
    alerts: (await currentAlerts(parts, instances)).length,
  };
};

/** The sum is as old as its oldest count, and exact only if all are. */
function sumOf(byStatus: Readonly<Record<string, Count>> | null | undefined): Count | null {
  if (!byStatus) return null;
  const counts = Object.values(byStatus);
  return {
    value: counts.reduce((sum, { value }) => sum + value, 0),
    isEstimate: counts.some(({ isEstimate }) => isEstimate),
    asOfMs: Math.min(...counts.map(({ asOfMs }) => asOfMs)),
  };
}
