import { describe, expect, test } from "bun:test";
import { INTERNAL_ERROR, NO_SUCH_PAGE, OUTCOME_UNKNOWN, UNAVAILABLE } from "../../src/http/faults/faults.ts";
import { hasNginx, TestNginx } from "../harness/servers/nginx.ts";
import { StandIn } from "../harness/servers/stand-in.ts";
import { signedIn } from "../harness/service/console.ts";
import { startService } from "../harness/service/service.ts";

const read = (path: string): Promise<string> => Bun.file(new URL(`../../${path}`, import.meta.url)).text();

const operations = await read("docs/operations.md");
const snippet = await read("deploy/nginx/snippets/animal-store.conf");
const errors = await read("deploy/nginx/errors.conf");
const [site = "", shownSnippet, consoleLocation = "", consoleUpstream = ""] = [
  ...operations.matchAll(/```nginx\n(.*?)```/gs),
].map((match) => match[1] as string);

/** The directives of a configuration, without comments and machine-specific values. */
const directives = (text: string): string[] => [
  ...new Set(
    text
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== "" && !line.startsWith("#") && !/^(ssl_|server_name )/.test(line))
      .map((line) => line.replace(/^listen \d+( ssl)?/, "listen PORT").replace(/^server \S+:\d+/, "server ADDRESS")),
  ),
];

describe("docs/operations.md on nginx", () => {
  test("shows the file of deploy/ as it is", () => {
    expect(shownSnippet).toBe(snippet);
  });

  test("shows a server and an upstream that differ from those of deploy/ only in addresses and TLS", async () => {
    const deployed = (await read("deploy/nginx/upstream.conf")) + (await read("deploy/nginx/server.conf"));
    expect(directives(site)).toEqual(directives(deployed));
  });

  test.skipIf(!hasNginx)(
    "shows what works: nginx starts with it, hands requests on and refuses unknown methods",
    async () => {
      const instance = await StandIn.start();
      const nginx = await TestNginx.start([instance.origin], { site });
      expect((await fetch(`${nginx.origin}/healthz`)).status).toBe(200);
      const refused = await fetch(nginx.origin, { method: "PROPFIND" });
      expect([refused.status, await refused.json()]).toMatchObject([405, { code: "method_not_allowed" }]);
      expect(instance.received).toEqual(["GET /healthz"]);
    },
  );

  test.skipIf(!hasNginx)("shows how the console is handed on: signing in and a file of 3 MB work", async () => {
    const service = await startService({ env: { TRUSTED_PROXIES: "127.0.0.1" } });
    const withoutConsole = snippet.match(/location ~ \^\/console.*?\n\}\n/s)?.[0] as string;
    const handedOn = snippet.replace(withoutConsole, consoleLocation.replace("192.0.2.0/24", "127.0.0.1"));
    expect(handedOn).not.toBe(snippet);
    const upstream = consoleUpstream.replace("127.0.0.1:8080", new URL(service.origin).host);
    const files = { "snippets/animal-store.conf": handedOn, "console.conf": upstream };
    const nginx = await TestNginx.start([service.origin], { site, files });
    const browser = await signedIn({ ...service, consoleUrl: `${nginx.origin}/console/` });
    const body = `name,categoryId\n${"Rex,7\n".repeat(500_000)}`;
    const response = await browser.call("POST /imports?name=rex.csv", { body });
    expect([response.status, await response.json()]).toMatchObject([202, { name: "rex.csv" }]);
  });

  test("lists every error of nginx's own", () => {
    const sent = [...errors.matchAll(/'(\{"code".*\})'/g)].map((match) =>
      JSON.parse((match[1] as string).replace("$status", "500")),
    );
    expect(sent.length).toBeGreaterThan(7);
    for (const { code, status } of sent)
      if (code !== "not_found") expect(operations).toContain(`| ${status} | \`${code}\` |`);
  });
});

test("nginx says what the service would say", () => {
  for (const fault of [INTERNAL_ERROR, NO_SUCH_PAGE, OUTCOME_UNKNOWN, UNAVAILABLE])
    expect(errors).toContain(`"${fault.message}"`);
});

test("nginx names the limits that it has", () => {
  expect(snippet).toContain("client_max_body_size 1m;");
  expect(errors).toContain("The body is larger than 1 MiB.");
  expect(snippet).toContain("large_client_header_buffers 2 5k;");
  expect(errors).toContain("The URL is longer than 5 KiB.");
  expect(errors).toContain("A header is larger than 5 KiB, or all of them are larger than 10 KiB.");
});
