import { expect, test } from "bun:test";
import { attackFleet, BRIEF } from "../../torture/fleet/fleet.ts";
import { OUTAGES } from "../../torture/fleet/outages.ts";
import { hasNginx } from "../harness/servers/nginx.ts";
import { hasRedis } from "../harness/servers/redis.ts";

test.skipIf(!hasNginx || !hasRedis)(
  "a fleet behind nginx: every kind of outage once, under load and hostile requests, and nothing is lost, doubled or sold twice",
  async () => {
    const { violations, figures } = await attackFleet({ seed: 7, rounds: 6 }, BRIEF);
    expect(violations).toEqual([]);
    for (const { name } of OUTAGES) expect([name, figures[name]]).toEqual([name, 1]);
    for (const name of ["acknowledged", "hostile requests"]) expect(figures[name]).toBeGreaterThan(50);
    for (const name of ["updates", "deletions", "conditional writes"]) expect(figures[name]).toBeGreaterThan(0);
  },
  300_000,
);
