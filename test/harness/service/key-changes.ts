import type { Clock } from "../../../src/base/time/clock.ts";
import { editKey } from "../../../src/keys/edit.ts";
import { SIGNED } from "../rows/author.ts";
import type { TestService } from "./service.ts";

const POLL_INTERVAL_MS = 20;

/**
 * Returns a function that waits until all instances know every change that has been made to keys. It asks with a key of
 * its own, since each refused request of another one would be a strike.
 */
export async function awaiterOfKeyChanges(fleet: readonly TestService[], clock: Clock): Promise<() => Promise<void>> {
  const [first] = fleet as readonly [TestService];
  let perMinute = 1_000_000;
  const { id, secret } = await first.issueKey({ plan: "enterprise", quotas: { perMinute, perDay: 1_000_000_000 } });
  const knows = async (instance: TestService): Promise<boolean> =>
    (await instance.call("GET /pets", { secret })).headers.get("x-ratelimit-limit") === String(perMinute);
  return async function allKnown(): Promise<void> {
    const behind = new Set(fleet);
    while (behind.size > 0) {
      perMinute++;
      await first.withStore(({ keys }) => editKey({ keys, clock, author: SIGNED }, { idOrName: id, perMinute }));
      // An instance that knows at once has looked the key up because it had not cached it, and may have cached others.
      const fromCache: TestService[] = [];
      for (const instance of behind) if (!(await knows(instance))) fromCache.push(instance);
      for (const instance of fromCache) {
        while (!(await knows(instance))) await Bun.sleep(POLL_INTERVAL_MS);
        behind.delete(instance);
      }
    }
  };
}
