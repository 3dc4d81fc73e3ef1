import { expect, test } from "bun:test";
import { type Document, documentsIn } from "../harness/deploy/deployment.ts";
import { startService } from "../harness/service/service.ts";

const [collector] = documentsIn("deploy/opentelemetry/collector.yaml");
const operators: Document[] = collector.receivers.filelog.operators;
const operator = (type: string): Document => operators.find((operator) => operator.type === type);

test("every part of a pipeline is defined, and every part that is defined is used", () => {
  const pipelines: Document[] = Object.values(collector.service.pipelines);
  for (const kind of ["receivers", "processors", "exporters"]) {
    const used = new Set(pipelines.flatMap((pipeline) => pipeline[kind]));
    expect([...used].sort()).toEqual(Object.keys(collector[kind]).sort());
  }
});

test("it scrapes what Prometheus scrapes", () => {
  const [prometheus] = documentsIn("deploy/prometheus/prometheus.yml");
  const targetsIn = (configs: Document[]): Document =>
    configs.map((config) => [config.job_name, config.static_configs]);
  expect(targetsIn(collector.receivers.prometheus.config.scrape_configs)).toEqual(targetsIn(prometheus.scrape_configs));
});

test("it looks for the fields that a line has, in the form that they have there", async () => {
  const logged: string[] = [];
  const service = await startService({ logged, env: { LOG_REQUESTS: "on" } });
  const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  await fetch(`${service.origin}/v1/pets`, { headers: { traceparent } });
  await service.stop();
  const line = logged.find((text) => text.includes('"msg":"request"')) as string;
  const [, start] = /startsWith "(.+)"\)$/.exec(operator("filter").expr) as RegExpExecArray;
  expect(line).toStartWith((start as string).replaceAll('\\"', '"'));

  const fields = [...JSON.stringify(operators).matchAll(/"attributes\.(\w+)/g)].map((match) => match[1] as string);
  expect(new Set(fields)).toEqual(new Set(["time", "level", "trace_id", "span_id", "trace_flags", "msg"]));
  expect(JSON.parse(line)).toContainKeys(fields);

  // Without a mapping, the Collector recognises levels by name.
  const { severity, timestamp } = operator("json_parser");
  expect([JSON.parse(line).level, severity]).toEqual(["info", { parse_from: "attributes.level" }]);
  // Go writes a layout as the form of a fixed reference time.
  expect(timestamp).toMatchObject({ layout_type: "gotime", layout: "2006-01-02T15:04:05.000Z07:00" });
  expect(JSON.parse(line).time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
});
