// Installs and starts the peers, which are what a good team would write instead of this service.

import { Database } from "bun:sqlite";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { atEnd } from "../../test/harness/cleanup.ts";
import { fillPeer, freePort, type Running, say, startProcess, whole } from "../common/tools.ts";
import type { CursorAfter } from "../common/workloads.ts";

const PEERS = join(import.meta.dir, "../peers");
export const PEER_SECRET = "a-key-of-a-good-length-for-the-peers";
const PRACTICALLY_UNLIMITED = "1000000000";

/** The peers' cursor is the plain id of the last animal. */
export const PEER_CURSOR: CursorAfter = String;

/** True if the peers are installed in the versions of the current lock file. */
function arePeersInstalled(): boolean {
  const installed = join(PEERS, "node_modules/.package-lock.json");
  return existsSync(installed) && statSync(installed).mtimeMs >= statSync(join(PEERS, "package-lock.json")).mtimeMs;
}

/** Installs the peers on first use, because the service itself does not need them. */
export async function installPeers(): Promise<void> {
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

export async function makePeerDatabase(file: string, animals: number): Promise<void> {
  say(`creating a database of ${whole(animals)} animals for a peer`);
  const schema = await Bun.file(join(PEERS, "schema.sql")).text();
  const db = new Database(file, { create: true, readwrite: true });
  db.run("PRAGMA journal_mode = WAL");
  db.run(schema);
  db.close();
  await fillPeer(file, animals);
}

interface PeerOptions {
  readonly program: string;
  readonly database: string;
  readonly cwd: string;
  readonly processes: number;
}

export async function startPeer({ program, database, cwd, processes }: PeerOptions) {
  const port = freePort();
  const running: Running = await startProcess({
    command: ["node", join(PEERS, program)],
    cwd,
    env: {
      NODE_ENV: "production",
      PORT: String(port),
      DATABASE: database,
      PROCESSES: String(processes),
      API_KEY: PEER_SECRET,
      PER_MINUTE: PRACTICALLY_UNLIMITED,
    },
    origin: `http://127.0.0.1:${port}`,
    probe: { method: "GET", path: "/v1/pets" },
    secret: PEER_SECRET,
    status: 200,
  });
  return { ...running, secret: PEER_SECRET };
}
