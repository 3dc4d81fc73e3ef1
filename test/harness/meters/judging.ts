// A process that judges requests of one subject, as an instance does: told when to begin by a line of input, it prints
// how many passed, and how often it counted by itself. Arguments: address of Redis, subject, quota, requests.

import { systemClock } from "../../../src/base/time/clock.ts";
import { newMeterMemory, openMeters } from "../../../src/meter/open.ts";
import { parseRedisUrl, type RedisUrl } from "../../../src/meter/redis-url.ts";

const [address = "", subject = "", quota, requests] = process.argv.slice(2);
const AT_ONCE = 8;

let outages = 0;
const { keyMeter } = await openMeters({
  redisUrl: parseRedisUrl(address) as RedisUrl,
  memory: newMeterMemory({ hasRedis: true }),
  keeper: { load: () => [], save() {} },
  clock: systemClock,
  onSaveFailure() {},
  onServerChange({ state }) {
    if (state === "away") outages++;
  },
});
const policy = { perMinute: Number(quota), unbannedAtMs: -1 };
await Bun.write(Bun.stdout, "ready\n");
await new Promise((resolve) => process.stdin.once("data", resolve));
let left = Number(requests);
let passed = 0;
const client = async () => {
  while (left-- > 0) {
    if ((await keyMeter.judge(subject, policy)).kind === "pass") passed++;
    await Bun.sleep(10);
  }
};
await Promise.all(Array.from({ length: AT_ONCE }, client));
await Bun.write(Bun.stdout, `${JSON.stringify({ passed, outages })}\n`);
process.exit(0);
