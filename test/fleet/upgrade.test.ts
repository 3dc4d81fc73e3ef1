import { expect, test } from "bun:test";
import { join } from "node:path";
import { SCOPES } from "../../src/domain/keys/scope.ts";
import { POSTGRES_MIGRATIONS } from "../../src/store/migrations/postgres/index.ts";
import { migrateDatabase } from "../../src/store/postgres/migrate.ts";
import { openForCommand } from "../../src/store/postgres/store.ts";
import { temporaryFolder } from "../harness/folder.ts";
import { EXECUTABLE, postAnimal, type RunningService, run, serve } from "../harness/program/program.ts";
import { BROKEN_SALES, UPDATED } from "../harness/requests/orders.ts";
import { SIGNED } from "../harness/rows/author.ts";
import { hasNginx, TestNginx } from "../harness/servers/nginx.ts";
import { emptyDatabaseMaker, withSql } from "../harness/servers/postgres.ts";
import { StandIn } from "../harness/servers/stand-in.ts";
import { fileOfSupportedRelease, supportedRelease } from "../harness/service/release.ts";
import { querySqlite } from "../harness/service/stores.ts";

// The upgrade policy: an older release runs on the next one's schema. A migration that breaks this fails here.

const newDatabase = await emptyDatabaseMaker();
const supported = supportedRelease();
const OLD = [supported.executable ?? "no such program"];
const NEW = [EXECUTABLE];
/** Building and starting take longer on a busy machine. */
const TIMEOUT_MS = 180_000;

/** Defines a test whose name says why it is skipped. */
const upgrade = (name: string, work: () => Promise<void>, hasServer = true): void => {
  const hasHistory = supported.executable !== undefined;
  test.skipIf(!hasHistory || !hasServer)(hasHistory ? name : `${name} (no Git history here)`, work, TIMEOUT_MS);
};

type Program = readonly string[];
type Options = { readonly cwd: string; readonly env: Record<string, string> };

async function command(program: Program, args: string[], options: Options): Promise<string> {
  const { exitCode, out, err } = await run(args, { ...options, program });
  if (exitCode !== 0) throw new Error(`${args.join(" ")}: ${err}${out}`);
  return out;
}

/** Issues a key with quotas that are never reached. */
async function issueKey(program: Program, options: Options): Promise<{ id: string; secret: string }> {
  const quotas = ["--per-minute", "1000000", "--per-day", "1000000"];
  return JSON.parse(
    await command(program, ["keys", "create", "--name", "test", "--plan", "enterprise", ...quotas, "--json"], options),
  );
}

async function call({ origin }: RunningService, secret: string, line: string, body?: unknown, more = {}) {
  const [method = "", path = ""] = line.split(" ");
  const response = await fetch(`${origin}/v1${path}`, {
    method,
    headers: { Authorization: `Bearer ${secret}`, ...(body ? { "Content-Type": "application/json" } : {}), ...more },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await response.text();
  return { status: response.status, json: text === "" ? undefined : JSON.parse(text) };
}

/** Waits until a search by prefix finds exactly these animals. */
async function expectFound(
  service: RunningService,
  secret: string,
  name: string,
  ids: readonly number[],
): Promise<void> {
  const found = async () => {
    const { json } = await call(service, secret, `GET /pets?limit=100&name=${encodeURIComponent(name)}`);
    return json.map((pet: { id: number }) => pet.id).sort((a: number, b: number) => a - b);
  };
  while ((await found()).length < ids.length) await Bun.sleep(20);
  expect(await found()).toEqual([...ids].sort((a, b) => a - b));
}

/** Creates on one instance what is retried on the other, and moves an order, whose id it returns, from one to the other. */
async function workTogether(first: RunningService, second: RunningService, secret: string): Promise<number> {
  const name = crypto.randomUUID();
  const created = await postAnimal(first, secret, name, name);
  const replayed = await postAnimal(second, secret, name, name);
  expect([created.status, replayed.status]).toEqual([201, 201]);
  const animal = (await created.json()) as { id: number };
  expect(await replayed.json()).toEqual(animal);
  const other = await postAnimal(second, secret, "another", name);
  expect(other.status).toBe(422);
  expect((await call(second, secret, `GET /pets/${animal.id}`)).json).toEqual(animal);

  const placed = await call(first, secret, "POST /store/orders", { petId: animal.id });
  expect(placed.status).toBe(201);
  expect((await call(second, secret, "POST /store/orders", { petId: animal.id })).status).toBe(409);
  const path = `/store/orders/${placed.json.id}`;
  expect((await call(second, secret, `PATCH ${path}`, { status: "approved" })).json.status).toBe("approved");
  expect((await call(first, secret, `PATCH ${path}`, { status: "delivered" })).json.status).toBe("delivered");
  expect((await call(second, secret, `GET /pets/${animal.id}`)).json.status).toBe("sold");
  expect((await call(first, secret, "GET /pets?status=sold&limit=100")).json).toContainEqual({
    ...animal,
    status: "sold",
  });
  return placed.json.id;
}

/** All instances add animals concurrently, and one of this version finds them by name. */
async function findByName(adders: readonly RunningService[], finder: RunningService, secret: string): Promise<void> {
  const word = crypto.randomUUID();
  const names = [`ÄRGER ${word} a`, `a\u0308rger ${word} b`, `Ärger ${word} İ`];
  const added = await Promise.all(
    [...adders, ...adders].flatMap((adder) =>
      names.map(async (name) => {
        const { status, json } = await call(adder, secret, "POST /pets", { name, categoryId: 1 });
        expect(status).toBe(201);
        return json.id as number;
      }),
    ),
  );
  await expectFound(finder, secret, `ärGER ${word.toUpperCase()}`, added);
}

/** The older release orders animals that the newer one updates and deletes at the same time: one of them wins. */
async function updateBeside(older: RunningService, newest: RunningService, secret: string): Promise<void> {
  for (let round = 0; round < 20; round++) {
    const { json: animal } = await call(newest, secret, "POST /pets", { name: "Rex", categoryId: 1 });
    const isRemoval = round % 2 === 0;
    const [placed, changed] = await Promise.all([
      call(older, secret, "POST /store/orders", { petId: animal.id }),
      isRemoval
        ? call(newest, secret, `DELETE /pets/${animal.id}`)
        : call(newest, secret, `PATCH /pets/${animal.id}`, { name: UPDATED, status: "sold" }),
    ]);
    const statuses = [placed.status, changed.status];
    expect([[201, 409], isRemoval ? [400, 204] : [409, 200]]).toContainEqual(statuses);
  }
}

upgrade(
  `PostgreSQL: release ${supported.version} goes on while the schema is migrated, and serves beside this version`,
  async () => {
    const options = {
      cwd: temporaryFolder(),
      env: { DATABASE_URL: await newDatabase(), LOG_LEVEL: "error", MIGRATE: "off" },
    };
    const start = (program: Program) => serve({ ...options, program });
    await command(OLD, ["migrate"], options);
    const { secret } = await issueKey(OLD, options);
    const before = await start(OLD);

    const statuses = new Set<number>();
    let isMigrated = false;
    const clients = (async () => {
      for (let i = 0; i < 10 || !isMigrated; i++) {
        statuses.add((await postAnimal(before, secret, "Rex", `key ${i}`)).status);
        statuses.add((await call(before, secret, "GET /pets")).status);
      }
    })();
    await command(NEW, ["migrate"], options);
    isMigrated = true;
    await clients;
    expect([...statuses].sort()).toEqual([200, 201]);

    // One that began on the older schema, one that finds the newer one, and one of this version.
    const [after, newest] = [await start(OLD), await start(NEW)];
    const pairs = [
      [before, newest],
      [newest, before],
      [after, newest],
      [newest, after],
    ] as const;
    for (const [first, second] of pairs) {
      const orderId = await workTogether(first, second, secret);
      const record = `SELECT placed_by IS NOT NULL AS placed, moves FROM orders WHERE id = ${orderId}`;
      const [row] = await withSql(options.env.DATABASE_URL, async (sql) => [...(await sql.unsafe(record))]);
      const moves = JSON.parse(`[${row.moves ?? ""}]`).map(({ to }: { to: string }) => to);
      // The older release records nothing, and leaves alone what was recorded.
      expect([row.placed, moves]).toEqual([first === newest, [first === newest ? "delivered" : "approved"]]);
    }
    for (const older of [before, after]) await updateBeside(older, newest, secret);
    await findByName([before, newest, after], newest, secret);
    for (const [issuer, revoker, user] of [
      [OLD, NEW, newest],
      [NEW, OLD, after],
    ] as const) {
      const key = await issueKey(issuer, options);
      expect((await call(user, key.secret, "GET /pets")).status).toBe(200);
      await command(revoker, ["keys", "revoke", key.id, ...(revoker === NEW ? ["--yes"] : [])], options);
      while ((await call(user, key.secret, "GET /pets")).status === 200) await Bun.sleep(20);
    }
    expect(await withSql(options.env.DATABASE_URL, async (sql) => [...(await sql.unsafe(BROKEN_SALES))])).toEqual([]);
    for (const instance of [before, after, newest]) {
      expect(await instance.kill("SIGTERM")).toBe(0);
      expect(instance.logged()).toBe("");
    }
  },
);

/** Adds animals and orders them; returns the ids of the orders. */
async function placedOrders(service: RunningService, secret: string, count: number): Promise<number[]> {
  const ids: number[] = [];
  for (let i = 0; i < count; i++) {
    const { json: animal } = await call(service, secret, "POST /pets", { name: "Rex", categoryId: 1 });
    ids.push((await call(service, secret, "POST /store/orders", { petId: animal.id })).json.id);
  }
  return ids;
}

upgrade(
  `PostgreSQL: release ${supported.version} does not know suspended and scoped keys and ignores the Idempotency-Key of a move, and leaves what it does not know as it is`,
  async () => {
    const url = await newDatabase();
    const options = { cwd: temporaryFolder(), env: { DATABASE_URL: url, LOG_LEVEL: "error", MIGRATE: "off" } };
    await command(NEW, ["migrate"], options);
    const [older, newer] = [await serve({ ...options, program: OLD }), await serve({ ...options, program: NEW })];
    const key = await issueKey(OLD, options);
    const store = await openForCommand(url);
    expect((await store.keys.get(key.id))?.scopes).toEqual(SCOPES);
    const change = { suspendedAtMs: 5, scopes: ["pets:read" as const], lastUsedAtMs: 60_000 };
    await store.keys.edit({ ...SIGNED, keyId: key.id, scopes: change.scopes });
    await store.keys.suspend({ ...SIGNED, keyId: key.id, atMs: 5 });
    await store.keys.noteUse([{ keyId: key.id, atMs: 60_000 }]);
    const list = "GET /pets";

    const other = await issueKey(OLD, options);
    const placed = await placedOrders(newer, other.secret, 2);
    const answers = [];
    for (const [i, first] of [older, newer].entries()) {
      const move = `PATCH /store/orders/${placed[i]}`;
      for (const instance of [first, newer])
        answers.push(
          (await call(instance, other.secret, move, { status: "approved" }, { "Idempotency-Key": move })).status,
        );
    }
    // This is why nginx, which sends such a move again, follows the instances.
    expect(answers).toEqual([200, 409, 200, 200]);

    while ((await call(newer, key.secret, list)).status === 200) await Bun.sleep(20);
    // This is why an upgrade should be finished before either is used.
    expect((await call(older, key.secret, list)).status).toBe(200);
    expect((await postAnimal(older, key.secret, "Rex")).status).toBe(201);

    await command(OLD, ["keys", "rotate", key.id, "--overlap", "1h"], options);
    expect(await store.keys.get(key.id)).toMatchObject(change);
    const secrets = await store.keys.secretsOf(key.id);
    expect(secrets.map(({ createdAtMs, expiresAtMs }) => [createdAtMs, typeof expiresAtMs])).toEqual([
      [undefined, "undefined"],
      [undefined, "number"],
    ]);
    await store.close();
    for (const instance of [older, newer]) {
      expect(await instance.kill("SIGTERM")).toBe(0);
      expect(instance.logged()).toBe("");
    }
  },
);

upgrade(
  `PostgreSQL: release ${supported.version} refuses a schema that says that it needs a newer version`,
  async () => {
    const options = {
      cwd: temporaryFolder(),
      env: { DATABASE_URL: await newDatabase(), LOG_LEVEL: "error", PORT: "0" },
    };
    const number = (POSTGRES_MIGRATIONS.at(-1)?.number ?? 0) + 1;
    const contract = {
      number,
      name: "contract",
      servesFrom: number,
      steps: [{ kind: "sql", sql: "SELECT 1" }],
    } as const;
    await migrateDatabase(options.env.DATABASE_URL, () => {}, { migrations: [...POSTGRES_MIGRATIONS, contract] });
    for (const args of [["serve"], ["keys", "list"], ["migrate"]]) {
      const { exitCode, err } = await run(args, { ...options, program: OLD });
      expect(exitCode).toBe(1);
      expect(err).toContain(`the database has schema ${number}, which needs a version that knows schema ${number}`);
      expect(err.trim().split("\n")).toHaveLength(1);
    }
  },
);

upgrade(
  `nginx of release ${supported.version} sends no move to a second instance and that of this version does, so the notes replace it last`,
  async () => {
    const silent = await Promise.all([StandIn.start(), StandIn.start()]);
    const origins = silent.map(({ origin }) => origin);
    const replaced = ["errors.conf", "snippets/animal-store.conf"];
    const files = Object.fromEntries(replaced.map((file) => [file, fileOfSupportedRelease(`deploy/nginx/${file}`)]));
    const times: number[] = [];
    for (const nginx of [await TestNginx.start(origins, { files }), await TestNginx.start(origins)]) {
      for (const { received } of silent) received.length = 0;
      const headers = { "Idempotency-Key": "a" };
      const answer = await fetch(`${nginx.origin}/silent`, { method: "PATCH", headers, body: "{}" });
      expect(answer.status).toBe(503);
      times.push(silent.flatMap(({ received }) => received).length);
    }
    expect(times).toEqual([1, 2]);
    const notes = await Bun.file(join(import.meta.dir, "../../docs/operations.md")).text();
    const section = notes.split(`### From ${supported.version}\n`)[1]?.split("\n#")[0] ?? "";
    const steps = [...section.matchAll(/^\d\. (.*)$/gm)].map(([, step]) => step);
    expect(steps).toEqual([
      expect.stringContaining("`npx animal-store migrate`"),
      expect.stringContaining("every instance"),
      expect.stringContaining("nginx"),
      expect.stringContaining("clients"),
    ]);
  },
  hasNginx,
);

upgrade(`SQLite: release ${supported.version} and this version serve a file in turn`, async () => {
  const cwd = temporaryFolder();
  const options = { cwd, env: { DATABASE_URL: "sqlite:store.db", LOG_LEVEL: "error" } };
  const { secret } = await issueKey(OLD, options);
  const names: string[] = [];
  let isMigrated = false;
  for (const program of [OLD, NEW, OLD, NEW]) {
    const service = await serve({ ...options, program });
    await workTogether(service, service, secret);
    for (const name of names) {
      const replay = await postAnimal(service, secret, name, name);
      expect([replay.status, (await replay.json()) as object]).toEqual([201, expect.objectContaining({ name })]);
    }
    // The migration folds those of the first round, the service those of the third.
    for (const [i, name] of names.entries())
      if (program === NEW) await expectFound(service, secret, name.toUpperCase(), [2 * i + 2]);
    names.push(crypto.randomUUID());
    expect((await postAnimal(service, secret, names.at(-1) as string, names.at(-1))).status).toBe(201);
    if (program === NEW) isMigrated = true;
    const key = await issueKey(program === OLD && isMigrated ? NEW : OLD, options);
    expect((await call(service, key.secret, "GET /pets")).status).toBe(200);
    expect(await service.kill("SIGTERM")).toBe(0);
    expect(service.logged()).toBe("");
  }
  // Each round has two, and a retry none.
  expect(querySqlite(join(cwd, "store.db"), "SELECT count(*) AS count FROM animals")).toEqual([{ count: 8 }]);
  expect(querySqlite(join(cwd, "store.db"), BROKEN_SALES)).toEqual([]);
});
