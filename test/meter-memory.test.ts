import { BoundedMeter, DurableMeter } from "../src/meter/memory.ts";
import { meterContract } from "./meter.contract.ts";

const nowhere = { load: () => [], save: () => {} };

meterContract("memory, durable", (clock) => DurableMeter.open(clock, nowhere, () => {}));
meterContract("memory, bounded", async (clock) => new BoundedMeter(clock, 1000));
