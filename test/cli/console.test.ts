import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readlinkSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { atEnd, setUp } from "../harness/cleanup.ts";
import { temporaryFolder } from "../harness/folder.ts";
import { EXECUTABLE, type RunningService, run, serve } from "../harness/program/program.ts";
import { freePort } from "../harness/servers/port.ts";
import { ConsoleBrowser } from "../harness/service/console.ts";

const LINK = /(http\S+\/console\/)#token=([0-9A-Za-z]{43})/;

describe("the command console", () => {
  const cwd = temporaryFolder();
  let port = "";
  let service: RunningService;
  setUp(async () => {
    port = String(await freePort());
    service = await serve({ cwd, env: { PORT: port, LOG_REQUESTS: "on" }, threads: 2 });
  });

  const command = (args: readonly string[], env: Record<string, string> = {}) =>
    run(args, { cwd, env: { PORT: port, OPERATOR: "Anna", ...env } });
  const browserAt = (consoleUrl: string) => new ConsoleBrowser({ consoleUrl });

  test("prints a link that signs in one browser of a running service, and the journal names both", async () => {
    const { exitCode, out } = await command(["console", "--name", "Front desk 🐾"]);
    expect(exitCode).toBe(0);
    expect(out).toContain("It signs in one browser, once, within 10 minutes.");
    const [, consoleUrl = "", token = ""] = LINK.exec(out) ?? [];
    expect(consoleUrl).toBe(`${service.origin}/console/`);
    const browser = browserAt(consoleUrl);
    expect((await browser.signIn(token)).status).toBe(204);
    expect(await (await browser.call("GET /session")).json()).toMatchObject({ name: "Front desk 🐾" });
    expect((await browserAt(consoleUrl).signIn(token)).status).toBe(401);
    const journal = JSON.parse((await command(["journal", "--json"])).out);
    expect(journal.slice(-2)).toMatchObject([
      { by: "Anna", via: "command", action: "console", after: { for: "Front desk 🐾" } },
      { by: "Front desk 🐾", via: "console", action: "console sign-in" },
    ]);
    expect(service.logged()).not.toContain(token);
    expect(JSON.stringify(journal)).not.toContain(token);
  });

  test("by default the link is for whoever makes it, and scripts get JSON", async () => {
    const { out } = await command(["console", "--json"]);
    const { url, name, role, worksUntil, ...rest } = JSON.parse(out);
    expect([name, role, Object.keys(rest)]).toEqual(["Anna", "operator", []]);
    expect(url).toMatch(LINK);
    expect(Date.parse(worksUntil)).toBeGreaterThan(Date.now());
  });

  test("knows the public address, and the one on this machine beside it", async () => {
    const shown = JSON.parse((await command(["console", "--json"], { PUBLIC_URL: "https://a.example.com/v1" })).out);
    expect(shown.url).toStartWith("https://a.example.com/console/#token=");
    expect(shown.directUrl).toStartWith(`http://127.0.0.1:${port}/console/#token=`);
    const below = JSON.parse(
      (await command(["console", "--json"], { PUBLIC_URL: "https://a.example.com/shop/v1" })).out,
    );
    expect(below.url).toStartWith("https://a.example.com/shop/console/#token=");
    expect(below.directUrl).toBeUndefined();
    const apart = await command(["console"], { CONSOLE_PORT: "9", CONSOLE_HOST: "::", PUBLIC_URL: "https://a.b/v1" });
    expect(apart.out).toStartWith("http://[::1]:9/console/#token=");
  });

  test.each([
    [["console"], { CONSOLE: "off" }, 1, "CONSOLE is off: set CONSOLE=on"],
    [["console"], { DATABASE_URL: "sqlite:none.db" }, 1, "there is no database"],
    [["console"], { CONSOLE: "yes" }, 1, "CONSOLE must be on or off"],
    [["console", "--name", " "], {}, 2, "A name must not be empty or blank."],
    [["console", "--name", "x".repeat(101)], {}, 2, "at most 100 characters"],
    [["console", "--name", "a\u0007b"], {}, 2, "control characters such as U+0007"],
    [["console", "sign-out"], {}, 2, "say who is signed out: a name, or --all"],
    [["console", "sign-in"], {}, 2, "too many arguments"],
  ] as const)("%p with %p is refused, and makes no link", async (args, env, exitCode, message) => {
    const before = (await command(["journal", "--json"])).out;
    const outcome = await command(args, env);
    expect([outcome.exitCode, outcome.out]).toEqual([exitCode, ""]);
    expect(outcome.err).toContain(message);
    expect((await command(["journal", "--json"])).out).toBe(before);
  });

  test("a link that nobody reads is not made", async () => {
    const before = (await command(["journal", "--json"])).out;
    const shell = ["sh", "-c", `"${EXECUTABLE}" console >/dev/null`];
    const outcome = await run([], { cwd, env: { PORT: port }, program: shell });
    expect(outcome.exitCode).toBe(1);
    expect(outcome.err).toContain("nothing was changed");
    expect((await command(["journal", "--json"])).out).toBe(before);
  });

  test("signs everybody out, says so in the journal, and ends links too", async () => {
    const open = async () => {
      const [, consoleUrl = "", token = ""] = LINK.exec((await command(["console"])).out) ?? [];
      return { browser: browserAt(consoleUrl), token };
    };
    const [one, two, unused] = [await open(), await open(), await open()];
    for (const { browser, token } of [one, two]) expect((await browser.signIn(token)).status).toBe(204);
    const { out } = await command(["console", "sign-out", "--all", "--yes"]);
    expect(out).toMatch(/^\d+ sessions were ended. Links that were not used yet no longer work.\n$/);
    for (const { browser } of [one, two]) expect((await browser.call("GET /session")).status).toBe(401);
    expect((await unused.browser.signIn(unused.token)).status).toBe(401);
    expect(JSON.parse((await command(["console", "sign-out", "--all", "--yes", "--json"])).out)).toEqual({
      sessionsEnded: 0,
    });
    const journal = JSON.parse((await command(["journal", "--json"])).out);
    expect(journal.at(-1)).toMatchObject({ by: "Anna", action: "console sign-out", after: { sessionsEnded: 0 } });
  });

  test("--role says what the person may do; sign-out ends the sessions of one person, and says if there are none", async () => {
    const sessionOf = async (...options: string[]) => {
      const { url } = JSON.parse((await command(["console", "--json", ...options])).out);
      const [consoleUrl = "", token = ""] = url.split("#token=");
      const browser = browserAt(consoleUrl);
      expect((await browser.signIn(token)).status).toBe(204);
      return browser;
    };
    const roleOf = async (browser: ConsoleBrowser) =>
      ((await (await browser.call("GET /session")).json()) as { role?: string }).role;
    const zoë = await sessionOf("--name", "Zoë", "--role", "clerk");
    const others = [await sessionOf("--name", "Vera", "--role", "viewer"), await sessionOf("--role", "operator")];
    expect(await roleOf(zoë)).toBe("clerk");
    expect((await command(["console", "sign-out", "Zoë"])).out).toBe(
      '"Zoë" was signed out: 1 session and 0 unused links ended.\n',
    );
    expect(await roleOf(zoë)).toBeUndefined();
    expect(await Promise.all(others.map(roleOf))).toEqual(["viewer", "operator"]);
    await command(["console", "--name", "Zoë", "--role", "viewer"]);
    expect(JSON.parse((await command(["console", "sign-out", "Zoë", "--json"])).out)).toEqual({
      name: "Zoë",
      sessionsEnded: 0,
      linksEnded: 1,
    });
    expect(await command(["console", "sign-out", "Zoë"])).toMatchObject({
      exitCode: 1,
      err: expect.stringContaining('nobody called "Zoë" is signed in, and no link waits for them'),
    });
    for (const misused of [["sign-out"], ["sign-out", "Zoë", "--all"], ["--role", "admin"], ["--role", "Clerk"]])
      expect([misused, (await command(["console", ...misused])).exitCode]).toEqual([misused, 2]);
    expect((await command(["console", "--role", "clerc"])).err).toContain(
      "The roles are operator, clerk, viewer. Did you mean clerk?",
    );
    const { out } = await command(["journal"]);
    expect(out).toMatch(/ {2}Zoë \(clerk\) {2}console sign-in\n/);
    expect(out).toMatch(/ {2}Anna {2}console {2}for Zoë, role clerk, link works until /);
  });

  test("completion knows both commands", async () => {
    const words = async (...line: string[]) =>
      (await command(["complete", "--", ...line])).out.split("\n").map((each) => each.split("\t")[0]);
    expect(await words("cons")).toEqual(["words", "console", ""]);
    expect(await words("console", "si")).toEqual(["words", "sign-out", ""]);
    expect(await words("console", "sign-out", "--a")).toEqual(["words", "--all", ""]);
  });
});

test("without a port the link is that of an instance on this machine, and never of one that is gone", async () => {
  const apart = String(await freePort());
  const cases = [
    [{}, (origin: string) => ({ url: `${origin}/console/` })],
    [{ PUBLIC_URL: "https://a.example.com/shop/v1" }, () => ({ url: "https://a.example.com/shop/console/" })],
    [
      { PUBLIC_URL: "https://a.example.com/v1" },
      (origin: string) => ({ url: "https://a.example.com/console/", directUrl: `${origin}/console/` }),
    ],
    [{ CONSOLE_PORT: apart }, () => ({ url: `http://127.0.0.1:${apart}/console/` })],
  ] as const;
  await Promise.all(
    cases.map(async ([env, expected]) => {
      const cwd = temporaryFolder();
      const service = await serve({ cwd, env });
      const command = (args: string[], more = {}) => run(args, { cwd, env: more });
      const links = async (more = {}) => {
        const { url, directUrl } = JSON.parse((await command(["console", "--json"], more)).out);
        return JSON.parse(JSON.stringify({ url, directUrl }).replaceAll(/#token=\w+/g, ""));
      };
      while ((await command(["instances", "--json"])).out === "[]\n") await Bun.sleep(50);
      for (const more of [{}, { PORT: "0" }]) expect(await links(more)).toEqual(expected(service.origin));
      expect(await links({ PORT: "9" })).toEqual({ url: "http://127.0.0.1:9/console/" });
      await service.kill("SIGKILL");
      expect(await links()).toEqual({ url: "http://127.0.0.1:8080/console/" });
      for (const setting of ["PORT", "CONSOLE_PORT"])
        expect(await command(["console"], { [setting]: "0" })).toMatchObject({
          exitCode: 1,
          out: "",
          err: expect.stringContaining(`cannot tell where the console is: ${setting} is 0, and no service`),
        });
    }),
  );
});

describe("the banner", () => {
  const inTerminal = async (cwd: string, env: Record<string, string> = {}): Promise<string> => {
    let out = "";
    const decoder = new TextDecoder();
    const printed = Promise.withResolvers<void>();
    const child = Bun.spawn([EXECUTABLE, "serve"], {
      cwd,
      env: { PATH: process.env.PATH ?? "", HOME: cwd, PORT: "0", ...env },
      terminal: {
        cols: 200,
        rows: 50,
        data: (_, bytes) => {
          out += decoder.decode(bytes, { stream: true });
          if (out.includes("Ctrl+C")) printed.resolve();
        },
      },
    });
    atEnd(() => child.kill("SIGKILL"));
    await Promise.race([printed.promise, child.exited]);
    const [, consoleUrl = "", token = ""] = LINK.exec(out) ?? [];
    if (token !== "") expect((await new ConsoleBrowser({ consoleUrl }).signIn(token)).status).toBe(204);
    child.kill("SIGTERM");
    await child.exited;
    child.terminal?.close();
    return out;
  };

  test("of the first start in a terminal has a link that works; later ones name the command", async () => {
    const cwd = temporaryFolder();
    expect(await inTerminal(cwd)).toMatch(/Console +http:\/\/127\.0\.0\.1:\d+\/console\/#token=\w{43}/);
    const later = await inTerminal(cwd);
    expect(later).toContain("to sign in: ");
    expect(later).not.toContain("#token=");
    const journal = JSON.parse((await run(["journal", "--json"], { cwd })).out);
    expect(journal.map(({ action, via }: { action: string; via: string }) => [action, via])).toEqual([
      ["keys create", "service"],
      ["console", "service"],
      ["console sign-in", "console"],
    ]);
  });

  test("that is no terminal's names the command, and has no secret in it", async () => {
    const { banner, kill } = await serve({ cwd: temporaryFolder() });
    expect(banner).toMatch(/Console +to sign in: \S*animal-store console\n/);
    expect(banner).not.toContain("#token=");
    await kill("SIGTERM");
  });

  test("says nothing of a console that is off", async () => {
    expect(await inTerminal(temporaryFolder(), { CONSOLE: "off" })).not.toContain("onsole");
  });
});

test("a service that is stopped or killed with an open console leaves nothing behind, and a start removes uploads that one has left", async () => {
  const [cwd, TMPDIR] = [temporaryFolder(), temporaryFolder()];
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    const left = join(TMPDIR, `animal-store-uploads-${2 ** 22 + 1}-a`);
    mkdirSync(join(left, "1"), { recursive: true });
    utimesSync(left, 1, 1);
    const service = await serve({ cwd, env: { TMPDIR } });
    expect((await fetch(`${service.origin}/console/`)).status).toBe(200);
    // A start removes them once the first responses are sent.
    while (existsSync(left)) await Bun.sleep(5);
    expect(await service.kill(signal)).toBe(signal === "SIGTERM" ? 0 : null);
    expect(readdirSync(TMPDIR)).toEqual([]);
  }
  expect(readdirSync(join(cwd, "data")).filter((name) => name.includes("console"))).toEqual([]);
});

test("a start removes the uploads of a service that was killed, however lately, and not those of one that is alive", async () => {
  const TMPDIR = temporaryFolder();
  const withUpload = async () => {
    const cwd = temporaryFolder();
    const port = String(await freePort());
    const service = await serve({ cwd, env: { TMPDIR, PORT: port } });
    const { out } = await run(["console"], { cwd, env: { PORT: port } });
    const [, consoleUrl = "", token = ""] = LINK.exec(out) ?? [];
    const browser = new ConsoleBrowser({ consoleUrl });
    await browser.signIn(token);
    const before = readdirSync(TMPDIR);
    const begun = await browser.call("POST /imports?name=a.csv&dryRun=true", {
      body: "name,categoryId\nRex,7\n",
      headers: { "Content-Type": "application/octet-stream" },
    });
    expect(begun.status).toBe(202);
    const [folder = "none"] = readdirSync(TMPDIR).filter((name) => !before.includes(name));
    return { cwd, service, folder: join(TMPDIR, folder) };
  };
  const [killed, alive] = [await withUpload(), await withUpload()];
  await killed.service.kill("SIGKILL");
  expect([killed, alive].map(({ folder }) => existsSync(folder))).toEqual([true, true]);
  await serve({ cwd: killed.cwd, env: { TMPDIR } });
  // A start removes them once the first responses are sent.
  while (existsSync(killed.folder)) await Bun.sleep(5);
  expect(readdirSync(alive.folder)).toHaveLength(1);
  expect(await alive.service.kill("SIGTERM")).toBe(0);
  expect(readdirSync(TMPDIR)).toEqual([]);
});

/** Undefined once it is closed. */
function linkAt(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

test("the socket of the console tells nobody anything who has found it", async () => {
  if (process.platform !== "linux") return;
  const service = await serve({ cwd: temporaryFolder() });
  expect((await fetch(`${service.origin}/console/`)).status).toBe(200);
  const { pid } = service.child;
  // Only this user can follow the descriptors of the service.
  const names = readdirSync(`/proc/${pid}/fd`)
    .map((descriptor) => `/proc/${pid}/fd/${descriptor}`)
    .filter((path) => /animal-store-[^/]+\/socket \(deleted\)$/.test(linkAt(path) ?? ""));
  expect(names.length).toBeGreaterThan(0);
  for (const unix of names)
    for (const path of ["/console/", "/console/api/session", "/"]) {
      const relayed = { "X-Animal-Store-Relayed": ` {"address":"x","requestId":"y"}` };
      const response = await fetch(`http://console${path}`, { unix, headers: relayed } as RequestInit);
      expect([response.status, await response.text()]).toEqual([404, ""]);
    }
  await service.kill("SIGTERM");
});

test("from source, the pages are bundled when they are first asked for", async () => {
  const main = join(import.meta.dir, "../../src/cli/main.ts");
  const service = await serve({ cwd: temporaryFolder(), program: [process.execPath, main] });
  const page = await (await fetch(`${service.origin}/console/`)).text();
  const [, script = ""] = /src="([^"]+)"/.exec(page) ?? [];
  expect((await fetch(`${service.origin}${script}`)).headers.get("content-type")).toContain("javascript");
  await service.kill("SIGTERM");
});
