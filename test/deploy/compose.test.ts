import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import {
  configOf,
  type Document,
  documentsIn,
  imageEnvironment,
  STOP_SECONDS,
  textOf,
} from "../harness/deploy/deployment.ts";
import { temporaryFolder } from "../harness/folder.ts";
import { run } from "../harness/program/program.ts";

const FILE = "deploy/compose.yaml";
const [{ services, networks }] = documentsIn(FILE);
const { migrate, nginx, prometheus, postgres } = services;
const instances = Object.entries<Document>(services).filter(([name]) => name.startsWith("store-"));
const ours: Document[] = [migrate, ...instances.map(([, instance]) => instance)];

/** Replaces variables like compose: by their values, or by the defaults after `:-`. */
const replaced = (environment: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [
      name,
      value.replace(/\$\{\w+:-([^}]*)\}/g, "$1").replace(/\$\{\w+:\?[^}]+\}/g, "secret"),
    ]),
  );
const settings = configOf(replaced(instances[0]?.[1].environment));
const secondsOf = (duration: string): number => Number(/^(\d+)s$/.exec(duration)?.[1]);

describe("the instances", () => {
  test("are three, with settings that the program knows and accepts, as texts", () => {
    expect(instances).toHaveLength(3);
    for (const { environment } of ours) {
      for (const value of Object.values(environment)) expect(value).toBeString();
      configOf(replaced(environment));
    }
    expect(instances[0]?.[1].environment.MIGRATE).toBe("off");
  });

  test("start after the migration, which ends, and after Redis", () => {
    expect(migrate).toMatchObject({ command: ["migrate"], healthcheck: { disable: true } });
    expect(migrate.restart).toBeUndefined();
    expect(migrate.depends_on).toEqual({ postgres: { condition: "service_healthy" } });
    for (const [, { depends_on }] of instances)
      expect(depends_on).toEqual({
        migrate: { condition: "service_completed_successfully" },
        redis: { condition: "service_healthy" },
      });
  });

  test("have time to stop", () => {
    expect(settings.DRAIN_SECONDS).toBe(5);
    for (const [, { stop_grace_period }] of instances)
      expect(secondsOf(stop_grace_period)).toBeGreaterThanOrEqual(settings.DRAIN_SECONDS + STOP_SECONDS);
  });

  test("run from the image, and may do nothing that they need not", () => {
    for (const service of ours)
      expect(service).toMatchObject({
        build: "..",
        read_only: true,
        cap_drop: ["ALL"],
        security_opt: ["no-new-privileges:true"],
      });
  });

  test("are those that nginx and Prometheus know", () => {
    const addresses = (port: string | number) => instances.map(([name]) => `${name}:${port}`);
    const upstream = textOf("deploy/nginx/upstream.conf");
    const proxied = [...upstream.matchAll(/^ {2}server ([^ ;]+)/gm)].map((match) => match[1] as string);
    expect(proxied).toEqual(addresses(imageEnvironment().PORT as string));
    const [{ scrape_configs }] = documentsIn("deploy/prometheus/prometheus.yml");
    expect(scrape_configs[0].static_configs[0].targets).toEqual(addresses(settings.METRICS_PORT as number));
    expect(Object.keys(nginx.depends_on)).toEqual(instances.map(([name]) => name));
  });
});

test("nginx and the instances keep their addresses when they are restarted, and nginx alone is trusted", () => {
  const addressOf = (service: Document): string => service.networks.default.ipv4_address;
  const [range] = networks.default.ipam.config;
  const subnet = range.subnet.replace("0/24", "");
  expect(range.ip_range).toBe(`${subnet}128/25`);
  const fixed = [nginx, ...instances.map(([, instance]) => instance)].map(addressOf);
  expect(new Set(fixed).size).toBe(4);
  for (const address of fixed) {
    expect(address).toStartWith(subnet);
    expect(Number(address.slice(subnet.length))).toBeWithin(2, 128);
  }
  expect(instances[0]?.[1].environment.TRUSTED_PROXIES).toBe(addressOf(nginx));
});

test("every service that stays has a health check", () => {
  for (const [name, { healthcheck }] of Object.entries<Document>(services))
    expect([name, healthcheck.disable ?? healthcheck.test[0]]).toEqual([name, name === "migrate" ? true : "CMD"]);
});

test("only nginx can be reached from elsewhere, and Prometheus from the machine itself", () => {
  const published = Object.entries<Document>(services).flatMap(([name, { ports = [] }]) =>
    ports.map((port: string) => `${name} ${port}`),
  );
  expect(published).toEqual(["nginx 8080:8080", "prometheus 127.0.0.1:9090:9090"]);
  expect(textOf("deploy/nginx/server.conf")).toContain("listen 8080 ");
});

test("what is mounted is there", () => {
  for (const service of [nginx, prometheus, postgres] as Document[])
    for (const [source] of service.volumes.map((volume: string) => volume.split(":")))
      if (source.startsWith(".")) expect(existsSync(join(import.meta.dir, "../../deploy", source))).toBe(true);
});

test("the commands in it are commands of the program", async () => {
  const shown = [...textOf(FILE).matchAll(/exec store-1 animal-store ([a-z]+ [a-z]+)/g)].map((match) => match[1]);
  const checked = instances.map(([, { healthcheck }]) => healthcheck.test.slice(2).join(" "));
  const commands = new Set([...shown, ...checked, ...migrate.command]);
  expect([...commands]).toEqual(["keys create", "ready", "migrate"]);
  for (const command of commands) {
    const { out } = await run([...command.split(" "), "--help"], { cwd: temporaryFolder() });
    expect(out).toStartWith(`Usage: animal-store ${command}`);
  }
});
