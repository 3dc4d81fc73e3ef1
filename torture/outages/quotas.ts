import { PLANS } from "../../src/domain/keys/plan.ts";
import { clientOf, statusOf } from "../../test/harness/requests/client.ts";
import { issueKey } from "../../test/harness/service/service.ts";
import { FIGURES, type Scene } from "./row.ts";
import type { Stage } from "./stage.ts";

export const QUOTA = PLANS.free?.perMinute as number;
/** Too few over the quota to lead to a ban. */
export const SENT = QUOTA + 40;
const AT_ONCE = 20;

export interface Use {
  readonly passed: number;
  readonly meanMs: number;
}

/** Exhausts a new Free key at all instances at once. Returns how many requests passed. */
export async function useUp({ board }: Scene, { instances, database }: Stage): Promise<Use> {
  const { secret } = await issueKey({ kind: "postgres", url: database }, { plan: "free" });
  let [passed, sent, slowestMs, totalMs] = [0, 0, 0, 0];
  const client = async (): Promise<void> => {
    while (sent++ < SENT) {
      const from = performance.now();
      const store = clientOf({ origin: instances.nextOrigin() }, secret);
      const status = await statusOf(store.pets.list({ limit: 1 }));
      const ms = performance.now() - from;
      slowestMs = Math.max(slowestMs, ms);
      totalMs += ms;
      board.count(FIGURES.requests);
      if (status === 200) passed++;
      else if (!board.check(status === 429, `a Free key got ${status}`)) board.count(FIGURES.wrong);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, client));
  board.highest(FIGURES.slowest, slowestMs);
  board.count("quotas used up");
  return { passed, meanMs: totalMs / SENT };
}

/** Checks that instances that share their counts let exactly the quota pass. */
export async function expectExact(scene: Scene, stage: Stage, when: string): Promise<void> {
  const { passed } = await useUp(scene, stage);
  if (passed !== QUOTA) scene.board.count(FIGURES.wrong);
  scene.board.check(passed === QUOTA, `${when}: of ${SENT} requests with a Free key ${passed} passed, not ${QUOTA}`);
}

/** Measures the time until instances share their counts again; undefined if they do not. */
export async function untilTogether({ instances }: Stage, withinMs: number): Promise<number | undefined> {
  const from = performance.now();
  while (performance.now() - from < withinMs) {
    const degraded = await Promise.all(
      instances.services.map(async ({ banner }) => {
        const metrics = await fetch(/Metrics +(\S+)/.exec(banner)?.[1] as string);
        return /^animal_store_meter_degraded 1$/m.test(await metrics.text());
      }),
    );
    if (!degraded.includes(true)) return performance.now() - from;
    await Bun.sleep(20);
  }
  return undefined;
}
