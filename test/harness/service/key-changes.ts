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
  async function allKnown(): Promise<void> {
    perMinute++;
    await first.withStore(({ keys }) => editKey({ keys, clock, author: SIGNED }, { idOrName: id, perMinute }));
    for (const instance of fleet)
      while ((await instance.call("GET /pets", { secret })).headers.get("x-ratelimit-limit") !== String(perMinute))
        await Bun.sleep(POLL_INTERVAL_MS);
  }
  // An instance looks up a key that it has not seen at once. Only from the second time on does it have to hear of a change.
  await allKnown();
  await allKnown();
  return allKnown;
}
