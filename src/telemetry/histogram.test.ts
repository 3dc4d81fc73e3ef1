import { expect, test } from "bun:test";
import { AggregatorRegistry, Histogram as PrometheusHistogram, Registry } from "prom-client";
import { Histogram } from "./histogram.ts";

const textOf = (own: Histogram) => AggregatorRegistry.aggregate([[own.snapshot()]]).metrics();

test("it says what prom-client says", async () => {
  const shape = { name: "answer_seconds", help: "Time to answer", buckets: [0.001, 0.01, 0.5, 1] };
  const own = new Histogram({ ...shape, label: "outcome" });
  const registry = new Registry();
  const usual = new PrometheusHistogram({ ...shape, labelNames: ["outcome"], registers: [registry] });
  for (const [outcome, seconds] of [
    ["good", 0],
    ["good", 0.001],
    ["good", 0.25],
    ["bad", 0.75],
    ["good", 1],
    ["bad", 8],
  ] as const) {
    own.observe(outcome, seconds);
    usual.observe({ outcome }, seconds);
  }
  expect(await textOf(own)).toBe(await registry.metrics());
});

test("series that are named beforehand are there before their first observation", async () => {
  const own = new Histogram({ name: "a", help: "b", label: "c", labelValues: ["d"], buckets: [1] });
  expect(await textOf(own)).toBe(
    '# HELP a b\n# TYPE a histogram\na_bucket{le="1",c="d"} 0\na_bucket{le="+Inf",c="d"} 0\na_sum{c="d"} 0\na_count{c="d"} 0\n',
  );
});
