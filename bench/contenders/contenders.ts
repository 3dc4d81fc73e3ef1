import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { CORES, DEFAULT_THREADS } from "../common/settings.ts";
import type { Stage } from "../common/stage.ts";
import { freePort, type Running, say, startProcess } from "../common/tools.ts";
import { type ContenderName, type CursorAfter, LIST, ourCursor, type Workload } from "../common/workloads.ts";
import type { CeilingAnswers } from "./ceiling.ts";
import { nginxConfiguration } from "./nginx.ts";
import { installPeers, makePeerDatabase, PEER_CURSOR, PEER_SECRET, startPeer } from "./peers.ts";
import { issueExhaustibleKey, NO_ADDRESS_LIMIT, type OurStore, type Reference, startService } from "./service.ts";

export interface Contender {
  readonly name: ContenderName;
  readonly cursorAfter: CursorAfter;
  /** True if it only returns prepared bytes: any page is answered with the first one, and no key is checked. */
  readonly isBare: boolean;
  /** Starts a new process, and returns it with a secret. */
  start(work: Workload): Promise<Running & { secret: string }>;
}

/** Makes these contenders, each with its own database. Those that cannot take part are left out. */
export async function makeContenders(stage: Stage, names: readonly ContenderName[]): Promise<Contender[]> {
  if (names.some((name) => name.startsWith("Fastify"))) await installPeers();
  const contenders: Contender[] = [];
  for (const name of names) {
    const contender = await make(name, stage);
    if (contender) contenders.push(contender);
  }
  return contenders;
}

async function make(name: ContenderName, stage: Stage): Promise<Contender | undefined> {
  const { folder, former } = stage;
  const { animals } = stage.settings;
  switch (name) {
    case "this service":
      return ours(name, await stage.newStore(animals));
    case "THREADS=1":
      return ours(name, await stage.newStore(animals), { THREADS: "1" });
    case "former revision":
      return former === undefined ? undefined : ours(name, await stage.newStore(animals, former));
    case "ceiling":
      return ceiling(name, folder, await stage.reference(), DEFAULT_THREADS);
    case "ceiling, one thread":
      return ceiling(name, folder, await stage.reference(), 1);
    case "Fastify":
      return fastify(name, stage, "fastify.js");
    case "Fastify cluster":
      return fastify(name, stage, "fastify-cluster.js");
    case "nginx":
      if (Bun.which("nginx")) return nginx(folder, await stage.reference());
      say("nginx is not installed, so it is left out");
      return undefined;
  }
}

function ours(name: ContenderName, store: OurStore, env: Record<string, string> = {}): Contender {
  return {
    name,
    cursorAfter: ourCursor,
    isBare: false,
    async start({ name: work, isAnonymous }) {
      const secret = work === "limited" ? await issueExhaustibleKey(store) : store.secret;
      const running = await startService(store, { ...env, ...(isAnonymous ? NO_ADDRESS_LIMIT : {}) });
      return { ...running, secret };
    },
  };
}

/** The command that starts the bare server. */
export async function ceilingCommand(folder: string, { list, get, create }: Reference): Promise<string[]> {
  const file = join(folder, "ceiling.json");
  await Bun.write(file, JSON.stringify({ list, get, create } satisfies CeilingAnswers));
  return [process.execPath, join(import.meta.dir, "ceiling.ts"), file];
}

const BARE = { cursorAfter: ourCursor, isBare: true };

function ceiling(name: ContenderName, folder: string, reference: Reference, threads: number): Contender {
  const env = { THREADS: String(threads) };
  return {
    name,
    ...BARE,
    start: async () => startBare(await ceilingCommand(folder, reference), folder, freePort(), env),
  };
}

function nginx(parent: string, { list }: Reference): Contender {
  const folder = join(parent, "nginx");
  mkdirSync(folder);
  return {
    name: "nginx",
    ...BARE,
    async start() {
      const port = freePort();
      const file = join(folder, "nginx.conf");
      await Bun.write(file, nginxConfiguration(list, port, folder));
      return startBare(["nginx", "-p", folder, "-c", file, "-e", "stderr"], folder, port);
    },
  };
}

async function startBare(command: string[], cwd: string, port: number, env: Record<string, string> = {}) {
  const origin = `http://127.0.0.1:${port}`;
  const running = await startProcess({
    command,
    cwd,
    env: { PORT: String(port), ...env },
    origin,
    probe: LIST,
    status: 200,
  });
  return { ...running, secret: PEER_SECRET };
}

async function fastify(name: ContenderName, stage: Stage, program: string): Promise<Contender> {
  const database = join(stage.folder, `${name}-${crypto.randomUUID()}.db`);
  await makePeerDatabase(database, stage.settings.animals);
  const start = () => startPeer({ program, database, cwd: stage.folder, processes: CORES });
  return { name, cursorAfter: PEER_CURSOR, isBare: false, start };
}
