import { expect, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { temporaryFolder } from "../harness/folder.ts";
import { startService } from "../harness/service/service.ts";

// The generators that the npm registry has, as users run them: their clients compile, and work with the service.

const ROOT = join(import.meta.dir, "../..");
const { resolve } = createRequire(join(import.meta.dir, "generators/package.json"));
const folderOf = (name: string): string => dirname(resolve(`${name}/package.json`));

const LANGUAGE = [
  "--target",
  "es2022",
  "--module",
  "esnext",
  "--moduleResolution",
  "bundler",
  "--lib",
  "es2022,dom,dom.iterable",
];
const STRICTLY = [...LANGUAGE, "--strict", "--noEmit", "--skipLibCheck", "--allowImportingTsExtensions"];

const service = await startService();

async function succeeds(command: readonly string[], cwd: string): Promise<string> {
  const env = { ...process.env, API: `${service.origin}/v1`, API_KEY: service.boundless };
  const child = Bun.spawn([process.execPath, "--bun", ...command], { cwd, env, stdout: "pipe", stderr: "pipe" });
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  expect([await child.exited, (await child.exited) === 0 ? "" : out + err]).toEqual([0, ""]);
  return out;
}

/** Generates a client of a document, compiles a program that uses it, and runs that. Returns what the program prints. */
async function outputOf(generate: readonly string[], program: string): Promise<unknown> {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(folderOf("openapi-fetch"), join(folder, "node_modules/openapi-fetch"));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  writeFileSync(join(folder, "program.ts"), `declare const process: any;\n${program}`);
  await succeeds(generate, folder);
  await succeeds([join(ROOT, "node_modules/typescript/bin/tsc"), ...STRICTLY, "program.ts"], folder);
  return JSON.parse(await succeeds(["program.ts"], folder));
}

/** An animal is added, read, corrected and sold; then come an error, and a quota. */
const EXPECTED = ["Rex", 1, "Rexi", 412, "placed", 409, "pet_not_available", "minute"];

test("openapi-typescript makes types of openapi.json that openapi-fetch works with", async () => {
  const generator = join(folderOf("openapi-typescript"), "bin/cli.js");
  const program = `
      import createClient from "openapi-fetch";
      import type { components, paths } from "./types.ts";
      const headers = { Authorization: "Bearer " + process.env.API_KEY };
      const store = createClient<paths>({ baseUrl: process.env.API, headers });
      const body: components["schemas"]["NewPet"] = { name: "Rex", categoryId: 7 };
      const key = { "Idempotency-Key": crypto.randomUUID() };
      const added = await store.POST("/pets", { body, params: { header: key } });
      const id = added.data!.id;
      const page = await store.GET("/pets", { params: { query: { id: [id], sort: "-id", limit: 1 } } });
      const tag = page.response.headers.get("etag")!;
      const path = { petId: id };
      const patch = () =>
        store.PATCH("/pets/{petId}", { params: { path, header: { "If-Match": tag } }, body: { name: "Rexi" } });
      const changed = await patch();
      const again = await patch();
      const order: components["schemas"]["OrderPlacement"] = { petId: id, reference: "A-1" };
      const placed = await store.POST("/store/orders", { body: order });
      const refused = await store.POST("/store/orders", { body: order });
      const own = await store.GET("/key");
      const quota: components["schemas"]["Quota"] | undefined = own.data!.quotas[0];
      console.log(JSON.stringify([added.data!.name, page.data!.length, changed.data!.name, again.response.status,
        placed.data!.status, refused.error!.status, refused.error!.code, quota?.window]));`;
  const generate = [generator, join(ROOT, "openapi.json"), "-o", "types.ts"];
  expect(await outputOf(generate, program)).toEqual(EXPECTED);
});

test("@hey-api/openapi-ts makes a client of openapi-3.0.json that works", async () => {
  const generator = join(folderOf("@hey-api/openapi-ts"), "bin/run.js");
  const program = `
      import * as store from "./store/index.ts";
      import { client } from "./store/client.gen.ts";
      client.setConfig({ baseUrl: process.env.API, auth: () => process.env.API_KEY });
      const body: store.NewPet = { name: "Rex", categoryId: 7 };
      const headers = { "Idempotency-Key": crypto.randomUUID() };
      const added = await store.createPet({ body: body, headers });
      const id = added.data!.id;
      const page = await store.listPets({ query: { id: [id], sort: "-id", limit: 1 } });
      const tag = page.response!.headers.get("etag")!;
      const patch = () =>
        store.updatePet({ path: { petId: id }, headers: { "If-Match": tag }, body: { name: "Rexi" } });
      const changed = await patch();
      const again = await patch();
      const order: store.OrderPlacement = { petId: id, reference: "A-1" };
      const placed = await store.placeOrder({ body: order });
      const refused = await store.placeOrder({ body: order });
      const own = await store.getKey();
      const quota: store.Quota | undefined = own.data!.quotas[0];
      console.log(JSON.stringify([added.data!.name, page.data!.length, changed.data!.name, again.response!.status,
        placed.data!.status, refused.error!.status, refused.error!.code, quota?.window]));`;
  const generate = [generator, "-i", join(ROOT, "openapi-3.0.json"), "-o", "store"];
  expect(await outputOf(generate, program)).toEqual(EXPECTED);
});
