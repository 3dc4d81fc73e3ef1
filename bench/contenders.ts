import { Database } from "bun:sqlite";
import { existsSync, mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { atEnd } from "../test/harness/cleanup.ts";
import { nginxConfiguration } from "./nginx.ts";
import { issueExhaustibleKey, NO_ADDRESS_LIMIT, type OurStore, type Reference, startService } from "./service.ts";
import type { Stage } from "./stage.ts";
import { fillPeer, freePort, type Running, say, startProcess, whole } from "./tools.ts";
import type { Work, WorkName } from "./works.ts";

export const CONTENDER_NAMES = ["this service", "ceiling", "nginx", "Fastify", "Express"] as const;
export type ContenderName = (typeof CONTENDER_NAMES)[number];

export interface Contender {
  readonly name: ContenderName;
  readonly does: (work: WorkName) => boolean;
  /** A new process, and a secret for it. */
  start(work: Work): Promise<Running & { secret: string }>;
}

const PEERS = join(import.meta.dir, "peers");
const PEER_SECRET = "a-key-of-a-good-length-for-the-peers";
const PRACTICALLY_UNLIMITED = "1000000000";

/** Whether they are installed, in the versions of the current lock file. */
function arePeersInstalled(): boolean {
  const installed = join(PEERS, "node_modules/.package-lock.json");
  return existsSync(installed) && statSync(installed).mtimeMs >= statSync(join(PEERS, "package-lock.json")).mtimeMs;
}

/** Installed on first use, so that nobody needs them to run the service. */
async function installPeers(): Promise<void> {
  if (arePeersInstalled()) return;
  say("installing the peers in bench/peers (only once; compiling better-sqlite3 may take some minutes)");
  const npm = Bun.spawn(["npm", "ci", "--no-audit", "--no-fund"], {
    cwd: PEERS,
    stdin: "ignore",
    stdout: "inherit",
    stderr: "inherit",
  });
  atEnd(() => npm.kill());
  if ((await npm.exited) !== 0) throw new Error("the peers could not be installed: see above");
}

export async function makeContenders(stage: Stage): Promise<Contender[]> {
  await installPeers();
  const reference = await stage.reference();
  const { animals } = stage.settings;
  const contenders = [ourService(await stage.newStore(animals)), ceiling(stage.folder, reference)];
  if (Bun.which("nginx")) contenders.push(nginx(stage.folder, reference));
  else say("nginx is not installed, so it is left out");
  for (const [name, program] of [
    ["Fastify", "fastify.js"],
    ["Express", "express.js"],
  ] as const)
    contenders.push(await peer(name, program, stage.folder, animals));
  return contenders;
}

function ourService(store: OurStore): Contender {
  return {
    name: "this service",
    does: () => true,
    async start({ name, isAnonymous }) {
      const secret = name === "limited" ? await issueExhaustibleKey(store) : store.secret;
      const running = await startService(store, isAnonymous ? NO_ADDRESS_LIMIT : {});
      return { ...running, secret };
    },
  };
}

/** The command that starts the bare server with the response to this work. */
export async function ceilingCommand(folder: string, reference: Reference, work: WorkName): Promise<string[]> {
  const file = join(folder, `ceiling-${work}.json`);
  await Bun.write(file, JSON.stringify(reference[work]));
  return [process.execPath, join(import.meta.dir, "ceiling.ts"), file];
}

function ceiling(folder: string, reference: Reference): Contender {
  return {
    name: "ceiling",
    does: () => true,
    start: async (work) => startBare(await ceilingCommand(folder, reference, work.name), folder, freePort(), work),
  };
}

function nginx(parent: string, reference: Reference): Contender {
  const folder = join(parent, "nginx");
  mkdirSync(folder);
  return {
    name: "nginx",
    // It would not read the body, as the others do.
    does: (work) => work !== "create",
    async start(work) {
      const port = freePort();
      const file = join(folder, "nginx.conf");
      await Bun.write(file, nginxConfiguration(reference[work.name], port, folder));
      return startBare(["nginx", "-p", folder, "-c", file, "-e", "stderr"], folder, port, work);
    },
  };
}

/** Bare servers do not check keys. */
async function startBare(command: string[], cwd: string, port: number, { request, status }: Work) {
  const origin = `http://127.0.0.1:${port}`;
  const running = await startProcess({ command, cwd, env: { PORT: String(port) }, origin, probe: request, status });
  return { ...running, secret: PEER_SECRET };
}

async function peer(name: ContenderName, program: string, parent: string, animals: number): Promise<Contender> {
  say(`creating a database of ${whole(animals)} animals for ${name}`);
  const file = join(parent, `${name}.db`);
  await makePeerDatabase(file, animals);
  return {
    name,
    does: () => true,
    async start({ name: work }) {
      const port = freePort();
      const running = await startProcess({
        command: ["node", join(PEERS, program)],
        cwd: parent,
        env: {
          NODE_ENV: "production",
          PORT: String(port),
          DATABASE: file,
          API_KEY: PEER_SECRET,
          PER_MINUTE: work === "limited" ? "60" : PRACTICALLY_UNLIMITED,
        },
        origin: `http://127.0.0.1:${port}`,
        probe: { method: "GET", path: "/v1/pets" },
        secret: PEER_SECRET,
        status: 200,
      });
      return { ...running, secret: PEER_SECRET };
    },
  };
}

async function makePeerDatabase(file: string, animals: number): Promise<void> {
  const schema = await Bun.file(join(PEERS, "schema.sql")).text();
  const db = new Database(file, { create: true, readwrite: true });
  db.run("PRAGMA journal_mode = WAL");
  db.run(schema);
  db.close();
  await fillPeer(file, animals);
}
