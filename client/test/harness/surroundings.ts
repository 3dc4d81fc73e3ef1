import { freePort } from "../../../test/harness/servers/port.ts";
import { startService } from "../../../test/harness/service/service.ts";
import { FakeClock } from "../../../test/harness/time/clock.ts";
import type { Runtime, Surroundings } from "../everywhere/env.ts";
import { startFaultyService } from "./faulty-service.ts";
import { startStrangeServer } from "./strange-server.ts";

/** Starts everything that the checks need. Pages of the origin, if given, may call the services. */
export async function startSurroundings(runtime: Runtime, pageOrigin?: string): Promise<Surroundings> {
  const env = pageOrigin ? { CORS_ORIGINS: pageOrigin } : {};
  const clock = new FakeClock();
  const [service, quick] = await Promise.all([startService({ env }), startService({ env, clock })]);
  const rare = { perMinute: 1, perDay: 1_000 };
  return {
    runtime,
    baseUrl: `${service.origin}/v1`,
    apiKey: service.boundless,
    readingKey: (await service.issueKey({ scopes: ["pets:read"] })).secret,
    poorKey: (await service.issueKey({ plan: "enterprise", quotas: rare })).secret,
    deadUrl: `http://127.0.0.1:${await freePort()}/v1`,
    quickUrl: `${quick.origin}/v1`,
    quickKey: (await quick.issueKey({ plan: "enterprise", quotas: { perMinute: 40, perDay: 10_000 } })).secret,
    faultyOrigin: await startFaultyService(service, clock),
    strangeOrigin: (await startStrangeServer()).origin,
  };
}
