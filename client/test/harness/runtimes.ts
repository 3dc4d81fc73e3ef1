import { join } from "node:path";
import type { Runtime } from "../everywhere/env.ts";
import type * as suite from "../everywhere/suite.ts";
import { openPage, startSite } from "./chromium.ts";
import { DENO } from "./deno.ts";
import { succeed } from "./pack.ts";
import { bundleSuite, projectWithClient } from "./project.ts";
import { startWorker } from "./workerd.ts";

const COMMANDS: Partial<Record<Runtime, readonly string[]>> = {
  Node: ["node"],
  Bun: [process.execPath],
  Deno: [DENO, "run", "--allow-net", "--allow-env=ANIMAL_STORE_URL,ANIMAL_STORE_KEY"],
};

type Suite = typeof suite;

export interface StartedRuntime {
  /** The origin of the page that it runs on, which the service must allow. */
  readonly pageOrigin?: string;
  /** The browser's errors so far. */
  readonly complaints: readonly string[];
  /** Calls an export of the suite. */
  call<Name extends keyof Suite>(name: Name, argument: Parameters<Suite[Name]>[0]): ReturnType<Suite[Name]>;
}

/** Starts a runtime with the checks, in which the client is found by its package name. */
export async function startRuntime(runtime: Runtime): Promise<StartedRuntime> {
  if (runtime === "Chromium") return startPage();
  const command = COMMANDS[runtime];
  const run = command ? await processRunner(command) : await workerRunner();
  return { complaints: [], call: run as StartedRuntime["call"] };
}

type Run = (name: string, argument: { readonly baseUrl: string; readonly apiKey: string }) => Promise<unknown>;

/** Runs each call in a new process, whose environment has the service's address. */
async function processRunner(command: readonly string[]): Promise<Run> {
  const folder = projectWithClient();
  await Bun.write(join(folder, "suite.js"), await bundleSuite());
  return async (name, argument) => {
    const main = `import { ${name} } from "./suite.js";
      console.log(JSON.stringify(await ${name}(${JSON.stringify(argument)})));
      // A failed check may have left a call pending.
      process.exit();`;
    await Bun.write(join(folder, "main.js"), main);
    const { baseUrl: ANIMAL_STORE_URL, apiKey: ANIMAL_STORE_KEY } = argument;
    return JSON.parse(await succeed([...command, "main.js"], folder, { ANIMAL_STORE_URL, ANIMAL_STORE_KEY }));
  };
}

/** Each call is a request to a worker. */
async function workerRunner(): Promise<Run> {
  const main = `import * as suite from "./suite.js";
    export default {
      async fetch(request) {
        const [name, argument] = await request.json();
        return Response.json(await suite[name](argument));
      },
    };`;
  const origin = await startWorker({ "main.js": main, "suite.js": await bundleSuite() });
  return async (...call) => (await fetch(origin, { method: "POST", body: JSON.stringify(call) })).json();
}

/** Runs on a page whose origin differs from that of every service. */
async function startPage(): Promise<StartedRuntime> {
  const pageOrigin = startSite();
  const { page, complaints } = await openPage(pageOrigin);
  const run: Run = (name, argument) =>
    page.evaluate(`import("/suite.js").then((suite) => suite.${name}(${JSON.stringify(argument)}))`);
  return { pageOrigin, complaints, call: run as StartedRuntime["call"] };
}
