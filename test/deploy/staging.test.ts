import { describe, expect, test } from "bun:test";
import { configOf, type Document, documentsIn, textOf } from "../harness/deploy/deployment.ts";
import { checkManifest } from "../harness/deploy/kubernetes.ts";
import { temporaryFolder } from "../harness/folder.ts";
import { run } from "../harness/program/program.ts";
import { hasNginx, TestNginx } from "../harness/servers/nginx.ts";
import { startService, type TestService } from "../harness/service/service.ts";

// Staging beside production: its changes to production's files, and that the two do not mix.

describe("with compose", () => {
  const FILE = "deploy/compose.staging.yaml";
  const [production] = documentsIn("deploy/compose.yaml");
  const [staging] = documentsIn(FILE);
  const storeNames = Object.keys(production.services).filter((name) => name.startsWith("store-"));

  /** Merges the environments of both files, and replaces variables like compose. */
  const settingsOf = (name: string, files: Document[], variables: Record<string, string> = {}) => {
    const merged = Object.assign({}, ...files.map(({ services }) => services[name]?.environment ?? {}));
    const texts = Object.entries<string>(merged).map(([setting, text]) => [
      setting,
      text
        .replace(/\$\{(\w+):-([^}]*)\}/g, (_, variable, fallback) => variables[variable] ?? fallback)
        .replace(/\$\{\w+:\?[^}]+\}/g, "secret"),
    ]);
    return configOf(Object.fromEntries(texts));
  };

  test("every instance is one of staging, and each environment knows the other by the same exports", () => {
    const addresses = { PUBLIC_URL: "https://api.example.com/v1", STAGING_URL: "https://staging.example.com/v1" };
    for (const name of storeNames) {
      const own = settingsOf(name, [production], addresses);
      expect(own).toMatchObject({ ENVIRONMENT: "production", ...addresses, PRODUCTION_URL: undefined });
      expect(settingsOf(name, [production, staging], addresses)).toMatchObject({
        ENVIRONMENT: "staging",
        PUBLIC_URL: addresses.STAGING_URL,
        PRODUCTION_URL: addresses.PUBLIC_URL,
        STAGING_URL: undefined,
        MIGRATE: false,
      });
      // Without exports, both are on this machine.
      const { PUBLIC_URL, PRODUCTION_URL } = settingsOf(name, [production, staging]);
      expect([PUBLIC_URL, PRODUCTION_URL]).toEqual(["http://localhost:8081/v1", "http://localhost:8080/v1"]);
    }
  });

  test("it is a project of its own, so that it has its own volumes, network and ports", () => {
    expect(staging.name).toBe("animal-store-staging");
    expect(staging.volumes).toBeUndefined();
    const changed = Object.keys(staging.services);
    expect(changed).toEqual([...storeNames, "nginx", "prometheus"]);
    const published = (file: Document) =>
      Object.values<Document>(file.services).flatMap(({ ports = [] }) => ports as string[]);
    // Only with this tag does a list replace that of production.
    expect(textOf(FILE).match(/^ +(?:ports|config): .*$/gm)).toEqual([
      '    ports: !override ["8081:8080"]',
      '    ports: !override ["127.0.0.1:9091:9090"]',
      "      config: !override [{ subnet: 172.30.78.0/24, ip_range: 172.30.78.128/25 }]",
    ]);
    for (const port of published(staging)) expect(published(production)).not.toContain(port);
    expect(staging.networks.default.ipam.config).not.toEqual(production.networks.default.ipam.config);
  });

  test("addresses are in its own network, and its own nginx alone is trusted", () => {
    const addressOf = (name: string): string => staging.services[name].networks.default.ipv4_address;
    expect(new Set([...storeNames, "nginx"].map(addressOf)).size).toBe(4);
    for (const name of [...storeNames, "nginx"]) expect(addressOf(name)).toStartWith("172.30.78.");
    for (const name of storeNames) expect(staging.services[name].environment.TRUSTED_PROXIES).toBe(addressOf("nginx"));
  });

  test("the command in it is one of the program", async () => {
    expect(textOf(FILE)).toContain("exec store-1 animal-store keys create --name");
    expect((await run(["keys", "create", "--help"], { cwd: temporaryFolder() })).exitCode).toBe(0);
  });
});

describe("in Kubernetes", () => {
  const [base] = documentsIn("deploy/kubernetes/kustomization.yaml");
  const [overlay] = documentsIn("deploy/kubernetes-staging/kustomization.yaml");
  const literalsOf = ({ configMapGenerator }: Document): Record<string, string> =>
    Object.fromEntries(configMapGenerator[0].literals.map((literal: string) => literal.split(/=(.*)/s).slice(0, 2)));

  test("it is all of production in a namespace of its own, with settings that are added to production's", () => {
    expect(overlay.resources).toEqual(["../kubernetes"]);
    expect(overlay.namespace).toBe("animal-store-staging");
    expect(base.namespace).toBeUndefined();
    const [generator] = overlay.configMapGenerator;
    expect(generator).toMatchObject({ name: base.configMapGenerator[0].name, behavior: "merge" });
    // Also when production names staging.
    const production = { ...literalsOf(base), STAGING_URL: literalsOf(overlay).PUBLIC_URL };
    expect(configOf(production).PUBLIC_URL).toBe(literalsOf(overlay).PRODUCTION_URL);
    expect(configOf({ ...production, ...literalsOf(overlay) })).toMatchObject({
      ENVIRONMENT: "staging",
      PUBLIC_URL: "https://staging.example.com/v1",
      PRODUCTION_URL: "https://api.example.com/v1",
      STAGING_URL: undefined,
      MIGRATE: false,
    });
  });

  test("what it changes of the autoscaler is valid", () => {
    const [autoscaler] = documentsIn("deploy/kubernetes/horizontal-pod-autoscaler.yaml");
    const [{ patch }] = overlay.patches;
    const changed = Bun.YAML.parse(patch) as Document;
    expect([changed.kind, changed.metadata.name]).toEqual([autoscaler.kind, autoscaler.metadata.name]);
    checkManifest({ ...autoscaler, spec: { ...autoscaler.spec, ...changed.spec } });
    expect(changed.spec.minReplicas).toBeLessThanOrEqual(changed.spec.maxReplicas);
  });
});

describe.skipIf(!hasNginx)("on one nginx", () => {
  const example = textOf("deploy/nginx/staging.conf.example");
  const [, from = "", to = ""] = /sed 's#([^#]+)#([^#]+)#'/.exec(example) ?? [];

  async function start(): Promise<{ nginx: TestNginx; production: TestService; staging: TestService }> {
    const env = { TRUSTED_PROXIES: "127.0.0.1" };
    const production = await startService({ env });
    const staging = await startService({ env: { ...env, ENVIRONMENT: "staging" } });
    const nginx = await TestNginx.start([production.origin], {
      files: {
        "staging.conf": example.replace("127.0.0.1:8081", new URL(staging.origin).host),
        "snippets/animal-store-staging.conf": textOf("deploy/nginx/snippets/animal-store.conf").replaceAll(from, to),
      },
    });
    return { nginx, production, staging };
  }

  test("names lead to one or the other, and without PUBLIC_URL links lead back to nginx, by that name", async () => {
    const { nginx, production, staging } = await start();
    const link = async (secret: string, headers: Record<string, string>) => {
      const init = { headers: { Authorization: `Bearer ${secret}`, ...headers } };
      return (await fetch(`${nginx.origin}/v1/pets/1`, init)).headers.get("link");
    };
    const atStaging = { Host: "staging.example.com" };
    expect(await link(production.boundless, {})).toStartWith(`<${nginx.origin}/docs>`);
    expect(await link(staging.boundless, atStaging)).toStartWith("<http://staging.example.com/docs>");
    expect(await link(staging.boundless, { Host: "staging.example.com:8443" })).toStartWith(
      "<http://staging.example.com:8443/docs>",
    );
    const forged = { ...atStaging, "X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "https" };
    expect(await link(staging.boundless, forged)).toStartWith("<http://staging.example.com/docs>");
    expect(await (await fetch(nginx.origin, { headers: atStaging })).text()).toContain("STAGING");
    expect(await (await fetch(nginx.origin)).text()).not.toContain("STAGING");
  });

  test("a key of one is not known to the other", async () => {
    const { nginx, staging } = await start();
    const { secret } = await staging.issueKey({ environment: "staging" });
    const call = (headers: Record<string, string>) =>
      fetch(`${nginx.origin}/v1/pets`, { headers: { Authorization: `Bearer ${secret}`, ...headers } });
    expect((await call({ Host: "staging.example.com" })).status).toBe(200);
    expect(await (await call({})).json()).toMatchObject({
      code: "invalid_api_key",
      message: expect.stringContaining("This API key is for staging, and this is production."),
    });
  });

  test("it differs from the server of production only in names and addresses", () => {
    const directives = (text: string) =>
      text
        .split("\n")
        .map((line) => line.trim())
        .filter((line) => line !== "" && !line.startsWith("#"))
        .map((line) => line.replace("_staging", "").replace("-staging", "").replace(" default_server", ""))
        .map((line) =>
          line.replace(/^server \S+:\d+/, "server ADDRESS").replace(/^server_name .*/, "server_name NAME;"),
        );
    const production = textOf("deploy/nginx/upstream.conf") + textOf("deploy/nginx/server.conf");
    expect([...new Set(directives(example))]).toEqual([...new Set(directives(production))]);
  });
});
