import { expect, test } from "bun:test";
import { EVENTS } from "../../torture/rolling/events.ts";
import { attackRolling, BRIEF } from "../../torture/rolling/rolling.ts";
import { hasNginx } from "../harness/servers/nginx.ts";
import { hasRedis } from "../harness/servers/redis.ts";

test.skipIf(!hasNginx || !hasRedis)(
  "instances restarted in turn, killed, and restarted all at once: no read and no retriable write fails, and no connection is closed upon a request",
  async () => {
    const { violations, figures } = await attackRolling({ seed: 7, rounds: EVENTS.length }, BRIEF);
    expect(violations).toEqual([]);
    for (const { name } of EVENTS) expect([name, figures[name]]).toEqual([name, 1]);
    for (const name of ["acknowledged", "reads", "503 while all were away"]) expect(figures[name]).toBeGreaterThan(20);
  },
  300_000,
);
