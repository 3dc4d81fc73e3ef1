import { expect, test } from "bun:test";
import { AggregatorRegistry, Histogram, Registry } from "prom-client";
import { QuickHistogram } from "./histogram.ts";

const textOf = (quick: QuickHistogram) => AggregatorRegistry.aggregate([[quick.snapshot()]]).metrics();

test("it says what prom-client says", async () => {
  const shape = { name: "answer_seconds", help: "Time to answer", buckets: [0.001, 0.01, 0.5, 1] };
  const quick = new QuickHistogram({ ...shape, label: "outcome", labelValues: ["good", "bad"] });
  const registry = new Registry();
  const usual = new Histogram({ ...shape, labelNames: ["outcome"], registers: [registry] });
  for (const [outcome, seconds] of [
    ["good", 0],
    ["good", 0.001],
    ["good", 0.25],
    ["bad", 0.75],
    ["good", 1],
    ["bad", 8],
  ] as const) {
    quick.observe(outcome, seconds);
    usual.observe({ outcome }, seconds);
  }
  expect(await textOf(quick)).toBe(await registry.metrics());
});

test("before the first value all its series are there, and an unknown one is ignored", async () => {
  const quick = new QuickHistogram({ name: "a", help: "b", label: "c", labelValues: ["d"], buckets: [1] });
  quick.observe("unknown", 1);
  expect(await textOf(quick)).toBe(
    '# HELP a b\n# TYPE a histogram\na_bucket{le="1",c="d"} 0\na_bucket{le="+Inf",c="d"} 0\na_sum{c="d"} 0\na_count{c="d"} 0\n',
  );
});
