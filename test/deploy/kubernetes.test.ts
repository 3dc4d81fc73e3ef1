import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { configOf, type Document, documentsIn, imageEnvironment, STOP_SECONDS } from "../harness/deploy/deployment.ts";
import { checkManifest } from "../harness/deploy/kubernetes.ts";
import { temporaryFolder } from "../harness/folder.ts";
import { run } from "../harness/program/program.ts";
import { startService } from "../harness/service/service.ts";

const FOLDER = "deploy/kubernetes";
const FILES = readdirSync(join(import.meta.dir, "../..", FOLDER), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".yaml"))
  .sort();
const manifests = FILES.filter((name) => !name.endsWith("kustomization.yaml"));

const one = (name: string): Document => documentsIn(`${FOLDER}/${name}`)[0];
const kustomization = one("kustomization.yaml");
const migration = one("migrate/kustomization.yaml");
const deployment = one("deployment.yaml").spec;
const pod = deployment.template.spec;
const [container] = pod.containers;
const job = one("migrate/job.yaml").spec;
const [jobContainer] = job.template.spec.containers;
const service = one("service.yaml").spec;
const autoscaler = one("horizontal-pod-autoscaler.yaml").spec;
const budget = one("pod-disruption-budget.yaml").spec;
const policy = one("network-policy.yaml").spec;
const ingress = one("ingress.example.yaml").spec;
const [secret, migrationSecret] = documentsIn(`${FOLDER}/secrets.example.yaml`);

const literals: Record<string, string> = Object.fromEntries(
  kustomization.configMapGenerator[0].literals.map((literal: string) => [
    literal.slice(0, literal.indexOf("=")),
    literal.slice(literal.indexOf("=") + 1),
  ]),
);
const settings = configOf({ ...literals, ...secret.stringData });
const portOf = (name: string): number => container.ports.find((port: Document) => port.name === name).containerPort;
const isSelected = (selector: Record<string, string>, labels: Record<string, string>): boolean =>
  Object.entries(selector).every(([name, value]) => labels[name] === value);

describe("by the schemas of Kubernetes", () => {
  for (const name of manifests)
    test(`${name} is valid`, () => {
      const documents = documentsIn(`${FOLDER}/${name}`);
      for (const document of documents) checkManifest(document);
      expect(documents.length).toBeGreaterThan(0);
    });

  test("the check finds what is wrong, missing or unknown", () => {
    const changed = (change: (document: Document) => void): Document => {
      const document = one("deployment.yaml");
      change(document);
      return document;
    };
    const firstContainer = (document: Document): Document => document.spec.template.spec.containers[0];
    for (const [change, message] of [
      [(it) => delete it.spec.selector, "selector"],
      [
        (it) => Object.assign(firstContainer(it).livenessProbe, { periodSeconds: "10" }),
        "periodSeconds must be integer",
      ],
      [(it) => Object.assign(firstContainer(it).livenessProbe, { period: 10 }), "containers.0.livenessProbe.period"],
      [(it) => Object.assign(firstContainer(it).securityContext, { readOnly: true }), "securityContext.readOnly"],
      [(it) => Object.assign(it, { spek: {} }), "spek"],
      [(it) => Object.assign(it, { kind: "Deploymint" }), "not a kind"],
    ] as [(document: Document) => void, string][])
      expect(() => checkManifest(changed(change))).toThrow(message);
  });

  test("the kustomizations name the files that there are; examples are applied by nobody", () => {
    const applied = [
      ...kustomization.resources,
      ...migration.resources.map((name: string) => `migrate/${name}`),
      "ingress.example.yaml",
      "secrets.example.yaml",
    ];
    expect(applied.sort()).toEqual(manifests);
  });
});

describe("the pods", () => {
  test("run this version of the program, with commands that it has", async () => {
    expect(container.image).toBe(jobContainer.image);
    for (const { images } of [kustomization, migration])
      expect(images).toMatchObject([{ name: container.image, newTag: manifest.version }]);
    for (const [command] of [container.args, jobContainer.args]) {
      const { out } = await run([command, "--help"], { cwd: temporaryFolder() });
      expect(out).toStartWith(`Usage: animal-store ${command}`);
    }
  });

  test("have settings that the program knows and accepts", () => {
    const [fromConfigMap, fromSecret] = container.envFrom;
    expect(fromConfigMap.configMapRef.name).toBe(kustomization.configMapGenerator[0].name);
    expect(fromSecret.secretRef.name).toBe(secret.metadata.name);
    const [databaseUrl] = jobContainer.env;
    expect(databaseUrl.valueFrom.secretKeyRef.name).toBe(migrationSecret.metadata.name);
    expect(Object.keys(migrationSecret.stringData)).toEqual([databaseUrl.valueFrom.secretKeyRef.key]);
    configOf({ [databaseUrl.name]: migrationSecret.stringData.DATABASE_URL });
    expect(literals.MIGRATE).toBe("off");
  });

  test("leave room in PostgreSQL, whose default is 97 connections, even while all of them are being replaced", () => {
    const pods = autoscaler.maxReplicas + deployment.strategy.rollingUpdate.maxSurge;
    expect(pods * settings.DATABASE_CONNECTIONS).toBeLessThanOrEqual(90);
  });

  test("have time to stop", () => {
    expect(settings.DRAIN_SECONDS).toBe(5);
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(settings.DRAIN_SECONDS + STOP_SECONDS);
  });

  test("may do nothing that they need not", () => {
    for (const spec of [pod, job.template.spec]) {
      expect(spec).toMatchObject({ automountServiceAccountToken: false, enableServiceLinks: false });
      expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000, runAsGroup: 1000 });
      expect(spec.securityContext.seccompProfile.type).toBe("RuntimeDefault");
      for (const { securityContext } of spec.containers)
        expect(securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ["ALL"] },
        });
    }
  });

  test("are probed where the service answers, on the port that it listens on", async () => {
    expect(portOf("http")).toBe(Number(imageEnvironment().PORT));
    const running = await startService();
    for (const probe of [container.startupProbe, container.readinessProbe, container.livenessProbe]) {
      expect(probe.httpGet.port).toBe("http");
      expect((await fetch(running.origin + probe.httpGet.path)).status).toBe(200);
    }
    expect(container.readinessProbe.httpGet.path).toBe("/readyz");
    expect(container.livenessProbe.httpGet.path).toBe("/healthz");
    await running.stop();
  });

  test("show metrics to Prometheus, and to nobody else", () => {
    expect(settings).toMatchObject({ METRICS_HOST: "0.0.0.0", METRICS_PORT: portOf("metrics") });
    expect(deployment.template.metadata.annotations["prometheus.io/port"]).toBe(String(portOf("metrics")));
    expect(service.ports).toMatchObject([{ targetPort: "http" }]);
    const rules = policy.ingress.map((rule: Document) => [
      rule.from[0].namespaceSelector.matchLabels["kubernetes.io/metadata.name"],
      rule.ports[0].port,
    ]);
    expect(rules).toEqual([
      ["ingress", "http"],
      ["monitoring", "metrics"],
    ]);
  });
});

describe("what belongs together", () => {
  const { labels } = deployment.template.metadata;
  const jobLabels = job.template.metadata.labels;

  test("selectors find the instances, and not the migration", () => {
    const selectors = [
      deployment.selector.matchLabels,
      service.selector,
      budget.selector.matchLabels,
      ...pod.topologySpreadConstraints.map((constraint: Document) => constraint.labelSelector.matchLabels),
    ];
    expect(selectors).toHaveLength(5);
    for (const selector of selectors)
      expect([isSelected(selector, labels), isSelected(selector, jobLabels)]).toEqual([true, false]);
    for (const podLabels of [labels, jobLabels])
      expect(isSelected(policy.podSelector.matchLabels, podLabels)).toBe(true);
  });

  test("instances are replaced one by one, and never all away", () => {
    expect(autoscaler.scaleTargetRef).toEqual({
      apiVersion: "apps/v1",
      kind: "Deployment",
      name: one("deployment.yaml").metadata.name,
    });
    expect(deployment.replicas).toBeUndefined();
    expect(deployment.strategy.rollingUpdate).toEqual({ maxUnavailable: 0, maxSurge: 1 });
    expect(autoscaler.minReplicas - budget.maxUnavailable).toBeGreaterThanOrEqual(2);
  });

  test("the ingress leads to the service, under the public address", () => {
    const { host } = new URL(settings.PUBLIC_URL as string);
    expect(ingress.rules[0].host).toBe(host);
    expect(ingress.tls[0].hosts).toEqual([host]);
    const { service: backend } = ingress.rules[0].http.paths[0].backend;
    expect(backend.name).toBe(one("service.yaml").metadata.name);
    expect(service.ports.map((port: Document) => port.name)).toContain(backend.port.name);
  });

  test("no secret is real", () => {
    for (const { stringData } of [secret, migrationSecret])
      for (const url of Object.values<string>(stringData)) {
        expect(new URL(url).password).toBe("CHANGE-ME");
        expect(new URL(url).hostname).toEndWith(".example.com");
      }
  });
});
