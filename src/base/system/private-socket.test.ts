import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { temporaryFolder } from "../../../test/harness/folder.ts";
import { PrivateSocket } from "./private-socket.ts";

const ask = async (unix: string): Promise<string> => (await fetch("http://socket/", { unix } as RequestInit)).text();

test("only its owner can enter its folder, and on Linux it is reached without it", async () => {
  const folder = temporaryFolder();
  const socket = new PrivateSocket([folder]);
  expect(statSync(dirname(socket.path)).mode & 0o777).toBe(0o700);
  const server = Bun.serve({ unix: socket.path, fetch: () => new Response("here") });
  const { address } = socket;
  expect([await ask(address), socket.address]).toEqual(["here", address]);
  if (process.platform === "linux") expect(readdirSync(folder)).toEqual([]);
  await server.stop(true);
  socket.close();
  socket.close();
  expect(readdirSync(folder)).toEqual([]);
  expect(existsSync(address)).toBe(false);
});

test("a folder that cannot be used is passed over; without any, the reason and the remedy are named", () => {
  const folder = temporaryFolder();
  const long = join(folder, "x".repeat(100));
  mkdirSync(long);
  const missing = join(folder, "missing");
  const socket = new PrivateSocket([long, missing, folder]);
  expect(dirname(dirname(socket.path))).toBe(folder);
  socket.close();
  expect(() => new PrivateSocket([long, missing])).toThrow(/too long; .*missing: .*: set TMPDIR/);
});
