import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { CHROMIUM } from "../../test/harness/browser/chromium.ts";
import { startService } from "../../test/harness/service/service.ts";
import { openPage, startSite } from "./harness/chromium.ts";
import { DENO } from "./harness/deno.ts";
import { projectWithClient } from "./harness/project.ts";
import { startWorker } from "./harness/workerd.ts";

// Restrictions of runtimes: the environment in Deno, other origins in browsers, early work in edge workers.

const TIMEOUT_MS = 240_000;

describe("Deno, without leave to read the environment", () => {
  /** The output of a program in a terminal, where Deno would prompt for permission. */
  async function say(program: string): Promise<string> {
    const folder = projectWithClient();
    await Bun.write(join(folder, "main.js"), `import { AnimalStore } from "animal-store-client";\n${program}`);
    let said = "";
    const decoder = new TextDecoder();
    const child = Bun.spawn([DENO, "run", "--allow-net", "main.js"], {
      cwd: folder,
      env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", NO_COLOR: "1", ANIMAL_STORE_KEY: "secret" },
      terminal: {
        cols: 200,
        rows: 50,
        data: (_, bytes) => {
          said += decoder.decode(bytes, { stream: true });
          // The prompt would wait forever.
          if (said.includes("Allow?")) child.kill();
        },
      },
    });
    await child.exited;
    child.terminal?.close();
    return Bun.stripANSI(said).trim();
  }

  test("a client that is told where the service is works, and nobody is asked", async () => {
    const service = await startService();
    const options = JSON.stringify({ baseUrl: `${service.origin}/v1`, apiKey: service.boundless });
    expect(await say(`console.log((await new AnimalStore(${options}).key()).plan);`)).toBe("enterprise");
  });

  test("a client that is not told says what is missing, and nobody is asked", async () => {
    const said = await say(`try { new AnimalStore(); } catch (error) { console.log(String(error)); }`);
    expect(said).toStartWith("TypeError: baseUrl is missing.");
  });
});

describe.skipIf(!CHROMIUM)("a page of an origin that the service does not let call it", () => {
  test(
    "learns what the operator has to set",
    async () => {
      const service = await startService();
      const siteOrigin = startSite();
      const { page } = await openPage(siteOrigin);
      const options = JSON.stringify({ baseUrl: `${service.origin}/v1`, apiKey: service.boundless, retries: 0 });
      const error = await page.evaluate(
        `import("/client/index.js").then(({ AnimalStore }) => new AnimalStore(${options}).key())
          .catch(({ code, message }) => ({ code, message }))`,
      );
      expect(error).toEqual({
        code: "connection_failed",
        message: expect.stringMatching(new RegExp(`${service.origin}.*CORS_ORIGINS.*${siteOrigin}`)),
      });
    },
    TIMEOUT_MS,
  );
});

describe("an edge worker", () => {
  /** Sends 20 concurrent requests to the worker, each of which creates an animal. */
  async function answersOf(worker: string): Promise<string[]> {
    const service = await startService();
    const options = JSON.stringify({ baseUrl: `${service.origin}/v1`, apiKey: service.boundless });
    const origin = await startWorker({
      "main.js": `import { AnimalStore } from "animal-store-client";
        const options = ${options};
        const nameOf = (request) => new URL(request.url).pathname.slice(1);
        ${worker}`,
    });
    return Promise.all(Array.from({ length: 20 }, async (_, i) => (await fetch(`${origin}/pet-${i}`)).text()));
  }
  const NAMES = Array.from({ length: 20 }, (_, i) => `pet-${i}`);

  test("may make a client for each request", async () => {
    const worker = `export default {
      async fetch(request) {
        const { pets } = new AnimalStore(options);
        return new Response((await pets.create({ name: nameOf(request), categoryId: 1 })).name);
      },
    };`;
    expect(await answersOf(worker)).toEqual(NAMES);
  });

  // The platform takes a request that waits for another's response for a hung one.
  test("may make one for all before the first request, if it does not pace them", async () => {
    const worker = `const { pets } = new AnimalStore({ ...options, pacing: false });
      export default {
        async fetch(request) {
          return new Response((await pets.create({ name: nameOf(request), categoryId: 1 })).name);
        },
      };`;
    expect(await answersOf(worker)).toEqual(NAMES);
  });
});
