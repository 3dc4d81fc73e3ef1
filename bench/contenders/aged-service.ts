// This service from its source, with a clock that is an hour late until SIGUSR2 sets it right. For the service, an hour
// has passed then: only after that does it trust its clock, and delete what has expired.
// Usage: the settings of the service are in the environment.

import { clockIn, HOUR_MS } from "../../src/base/time/clock.ts";
import { configFromEnvironment } from "../../src/cli/arguments/context.ts";
import { start } from "../../src/start.ts";
import { createLog } from "../../src/telemetry/log.ts";

const TICK_MS = 50;

let lateMs = HOUR_MS;
const buffer = new SharedArrayBuffer(16);
const times = new Float64Array(buffer);
const tick = (): void => times.set([Date.now() - lateMs, performance.now() - lateMs]);
tick();
setInterval(tick, TICK_MS);
process.on("SIGUSR2", () => {
  lateMs = 0;
});

const config = configFromEnvironment();
const service = await start(config, { log: createLog(config.LOG_LEVEL), clock: { ...clockIn(buffer), buffer } });
process.on("SIGTERM", async () => {
  await service.stop();
  process.exit(0);
});
