import { newMeterMemory, openMeters } from "../../src/meter/open.ts";
import { openMemoryMeter } from "../harness/meters/memory.ts";
import { meterContract } from "./meter.contract.ts";

const settings = {
  redisUrl: undefined,
  keeper: { load: () => [], save: () => {} },
  onSaveFailure() {},
  onServerChange() {},
};

meterContract("keys in memory", async (clock) => {
  const { keyMeter } = await openMeters({ ...settings, memory: newMeterMemory({ hasRedis: false }), clock });
  return keyMeter;
});
meterContract("addresses in memory", async (clock) => openMemoryMeter(clock));
