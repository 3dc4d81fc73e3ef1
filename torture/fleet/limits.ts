import { PLANS } from "../../src/domain/keys/plan.ts";
import { ANSWER_TIMEOUT_MS } from "../../src/meter/redis/timeouts/answer-timeout.ts";
import { clientOf, statusOf } from "../../test/harness/requests/client.ts";
import { issueKey } from "../../test/harness/service/service.ts";
import type { Scoreboard } from "../common/scoreboard.ts";
import type { FleetStage } from "./stage.ts";

const REQUESTS = 90;
const AT_ONCE = 15;

/**
 * While Redis works, a quota is exact however many instances share it. An instance counts a request by itself only if
 * Redis was too slow, so on a busy machine the count may be off by the number of slow requests.
 */
export async function checkLimits({ database, nginx }: FleetStage, board: Scoreboard): Promise<void> {
  const { secret } = await issueKey({ kind: "postgres", url: database }, { plan: "free" });
  const quota = PLANS.free?.perMinute as number;
  const store = clientOf(nginx, secret);
  let [passed, late, sent] = [0, 0, 0];
  const client = async (): Promise<void> => {
    while (sent++ < REQUESTS) {
      const from = performance.now();
      const status = await statusOf(store.pets.list({ limit: 1 }));
      if (performance.now() - from >= ANSWER_TIMEOUT_MS) late++;
      if (status === 200) passed++;
      else board.check(status === 429, `a Free key got ${status}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, client));
  board.count(late === 0 ? "quotas checked" : "quotas checked on a busy machine");
  board.check(
    Math.abs(passed - quota) <= late,
    `of ${REQUESTS} requests with a Free key, ${passed} passed, and ${late} were answered late`,
  );
}
