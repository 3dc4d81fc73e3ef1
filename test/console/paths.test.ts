import { describe, expect, test } from "bun:test";
import { setUp } from "../harness/cleanup.ts";
import { RawConnection } from "../harness/requests/raw.ts";
import { hasNginx, TestNginx } from "../harness/servers/nginx.ts";
import { startService, type TestService } from "../harness/service/service.ts";
import { FakeClock } from "../harness/time/clock.ts";

// A proxy that hides the console decides by the normal form of a path, and hands on what was sent. So the service must
// not take another spelling for a path of the console.

const PATHS = ["/console", "/console/", "/console/keys", "/console/api/session", "/console/api/keys/key_1/rotate"];

/** Other spellings of a path, most of which some server takes for the same. */
function spellings(path: string): string[] {
  const rest = path.slice("/console".length);
  const up = ["..", "%2e%2e", "%2E%2e", ".%2E", "%2e."];
  return [
    ...["//", "/./", "/%2e/", "/%2E/", "\\", "/\\", "/%5c", "/%5C", "/%2f", "/%2F", "/;/", "/;x=1/"].map(
      (separator) => `/console${separator}${rest.slice(1)}`,
    ),
    ...up.flatMap((dots) => [
      `/console//${dots}${rest}`,
      `/console/x/${dots}${rest}`,
      `/console/api/session/${dots}/${dots}${rest}`,
      `/console/${dots}/console${rest}`,
      `/console/${dots}/docs\\${dots}\\console${rest.replaceAll("/", "\\")}`,
      `/docs/${dots}/console${rest}`,
      `/docs\\${dots}\\console${rest}`,
      `/docs%5c${dots}%5cconsole${rest}`,
      `/docs%2f${dots}/console${rest}`,
      `/console/${dots}%2fconsole${rest}`,
      `/console/x${dots};/${rest}`,
    ]),
    ...["/Console", "/CONSOLE", "//console", "/%63onsole", "/c%6Fnsole", "/console;", "/console%00"].map(
      (name) => name + rest,
    ),
  ];
}

/** The other pages without a key. */
const PAGES = ["/docs", "/account", "/openapi.json", "/openapi-3.0.json", "/favicon.ico", "/"];

/** Other spellings of the path of such a page. */
function spellingsOfPage(path: string): string[] {
  const name = path.slice(1);
  const encoded = `%${path.charCodeAt(1).toString(16)}${path.slice(2)}`;
  return [
    ...["//", "/./", "/%2e/", "/%2F", "/%5c", "/\\", "/;/", "/x/../", "/x/%2e%2e/", "/x/.%2E/", "/console/../"],
    ...["/docs/../", "/docs\\..\\", "/docs%2f../", "/account/../", "/account/%2e%2e/", "/account/..%2f"],
  ]
    .map((before) => before + name)
    .concat(
      name === ""
        ? []
        : ["/", "//", "/.", "/%2e", "\\", "%2f", "%5C", ";", ";x=1", "%00", "/x/.."].map((after) => path + after),
    )
    .concat(name === "" ? [] : [`/${encoded}`, path.toUpperCase()]);
}

const SPELLINGS_OF_PAGES = [...new Set(PAGES.flatMap(spellingsOfPage))];

const SPELLINGS = [...new Set(PATHS.flatMap(spellings))].filter((path) => !PATHS.includes(path));
/** Under /v1, whoever has no key is told so first. */
const UNDER_V1 = PATHS.flatMap((path) => [`/v1/..${path}`, `/v1/%2e%2e${path}`, `/v1//..${path}`, `/v1/..\\..${path}`]);

interface Answer {
  readonly path: string;
  readonly status: number;
  readonly text: string;
}

async function get(origin: string, path: string, from: string): Promise<Answer> {
  const connection = await RawConnection.open(origin, from);
  connection.send(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
  const text = await connection.until(() => false);
  return { path, status: Number(text.split(" ")[1]), text };
}

/** Each comes from another address, because one address may not ask for so many pages. */
const answersAt = (origin: string, paths: readonly string[]): Promise<Answer[]> =>
  Promise.all(paths.map((path, i) => get(origin, path, `127.0.${1 + (i >> 7)}.${1 + (i & 127)}`)));

const statusesOf = (answers: readonly Answer[]): string[] => answers.map(({ path, status }) => `${status} ${path}`);

const read = (path: string): Promise<string> => Bun.file(new URL(`../../${path}`, import.meta.url)).text();

/** nginx as a controller may set it up for the example of an ingress. */
async function ingressSite(): Promise<string> {
  const manifest = Bun.YAML.parse(await read("deploy/kubernetes/ingress.example.yaml")) as IngressManifest;
  const locations = manifest.spec.rules.flatMap(({ http }) =>
    http.paths.flatMap(({ path, pathType }) => (pathType === "Prefix" ? [`= ${path}`, `${path}/`] : [`= ${path}`])),
  );
  return [
    "upstream animal_store {\n  server store-1:8080;\n}",
    "server {\n  listen 8080 default_server;\n  proxy_set_header X-Forwarded-For $remote_addr;",
    ...locations.map((location) => `  location ${location} { proxy_pass http://animal_store; }`),
    "  location / { return 404; }\n}",
  ].join("\n");
}

interface IngressManifest {
  readonly spec: {
    readonly rules: readonly {
      readonly http: { readonly paths: readonly { readonly path: string; readonly pathType: "Prefix" | "Exact" }[] };
    }[];
  };
}

describe("the console is found by one spelling of its paths", () => {
  let service: TestService;
  setUp(async () => {
    service = await startService({ env: { TRUSTED_PROXIES: "127.0.0.1" } });
  });

  test("there are hundreds of others", () => {
    expect(SPELLINGS.length).toBeGreaterThan(200);
  });

  test("directly", async () => {
    expect(statusesOf(await answersAt(service.origin, PATHS))).toEqual(
      PATHS.map((path) => `${path.includes("/api/") ? 401 : 200} ${path}`),
    );
    const others = await answersAt(service.origin, SPELLINGS);
    expect(statusesOf(others)).toEqual(SPELLINGS.map((path) => `404 ${path}`));
    for (const { text } of others) expect(text).toContain('"There is nothing here.');
    expect(statusesOf(await answersAt(service.origin, UNDER_V1))).toEqual(UNDER_V1.map((path) => `401 ${path}`));
  });

  test("and so are the other pages that need no key", async () => {
    expect(statusesOf(await answersAt(service.origin, PAGES))).toEqual(PAGES.map((path) => `200 ${path}`));
    const others = await answersAt(service.origin, SPELLINGS_OF_PAGES);
    expect(statusesOf(others)).toEqual(SPELLINGS_OF_PAGES.map((path) => `404 ${path}`));
    for (const { text } of others) expect(text).toContain('"There is nothing here.');
  });

  test("another spelling counts for the address that sent it, as an unknown page does", async () => {
    const counted = await startService({ clock: new FakeClock() });
    const paths = [...SPELLINGS.slice(0, 65), ...SPELLINGS_OF_PAGES.slice(0, 65)];
    const answers = await Promise.all(paths.map((path) => get(counted.origin, path, "127.0.0.9")));
    const count = (wanted: number) => answers.filter(({ status }) => status === wanted).length;
    expect([count(404), count(429)]).toEqual([120, 10]);
    expect(statusesOf(await Promise.all(PAGES.map((path) => get(counted.origin, path, "127.0.0.9"))))).toEqual(
      PAGES.map((path) => `429 ${path}`),
    );
    expect((await get(counted.origin, "/docs", "127.0.0.10")).status).toBe(200);
  });

  /** Answers of the console, or with an unexpected status. */
  const wrongOf = (answers: readonly Answer[], statuses: readonly number[], console = /console-base|signed in/) =>
    statusesOf(answers.filter(({ status, text }) => !statuses.includes(status) || console.test(text)));

  test("at a port of its own", async () => {
    const { consoleUrl } = await startService({ env: { CONSOLE_PORT: "0" } });
    const others = await answersAt(new URL(consoleUrl as string).origin, SPELLINGS);
    // Under /console/api, whoever is not signed in is told so first.
    expect(wrongOf(others, [401, 404], /console-base/)).toEqual([]);
  });

  describe.skipIf(!hasNginx)("through nginx", () => {
    const hidden = [...PATHS, ...SPELLINGS, ...UNDER_V1];

    test("as in deploy/nginx", async () => {
      const { origin } = await TestNginx.start([service.origin]);
      expect(wrongOf(await answersAt(origin, hidden), [400, 401, 404])).toEqual([]);
    });

    test("as docs/operations.md opens it to one network, from another one", async () => {
      const operations = await read("docs/operations.md");
      const [, , location = "", upstream = ""] = [...operations.matchAll(/```nginx\n(.*?)```/gs)].map(
        ([, text]) => text,
      );
      const snippet = await read("deploy/nginx/snippets/animal-store.conf");
      const files = {
        "snippets/animal-store.conf": snippet.replace(/location ~ \^\/console.*?\n\}\n/s, location),
        "console.conf": upstream.replace("127.0.0.1:8080", new URL(service.origin).host),
      };
      const { origin } = await TestNginx.start([service.origin], { files });
      expect(wrongOf(await answersAt(origin, PATHS), [403])).toEqual([]);
      expect(wrongOf(await answersAt(origin, hidden), [400, 401, 403, 404])).toEqual([]);
    });

    test("as the example of an ingress", async () => {
      const { origin } = await TestNginx.start([service.origin], { site: await ingressSite() });
      expect(wrongOf(await answersAt(origin, hidden), [400, 401, 404])).toEqual([]);
    });
  });
});
