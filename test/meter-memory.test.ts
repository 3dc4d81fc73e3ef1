import { BoundedMeter, KeptMeter } from "../src/meter/memory.ts";
import { meterContract } from "./meter.contract.ts";

const nowhere = { load: () => [], save: () => {} };

meterContract("memory, kept", (clock) => KeptMeter.open(clock, nowhere, () => {}));
meterContract("memory, bounded", async (clock) => new BoundedMeter(clock, 1000));
