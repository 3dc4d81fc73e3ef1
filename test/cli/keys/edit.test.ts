import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { setUp } from "../../harness/cleanup.ts";
import { temporaryFolder } from "../../harness/folder.ts";
import { listPets, operatorIn, untilAnswered } from "../../harness/program/operator.ts";
import { postAnimal, type RunningService, serve } from "../../harness/program/program.ts";
import { querySqlite } from "../../harness/service/stores.ts";

const cwd = temporaryFolder();
const { cli, json, issue, makeStore } = operatorIn(cwd);
setUp(makeStore);

/** A command that fails, and what it says, which is one line. */
async function failure(...args: string[]): Promise<string> {
  const { exitCode, out, err } = await cli(...args);
  expect([exitCode, out]).toEqual([1, ""]);
  expect(err).toMatch(/^animal-store: [^\n]+\n$/);
  return err;
}

describe("keys edit", () => {
  test("changes what is given, says what that was, and leaves the rest as it is", async () => {
    const { id, secret: _, ...before } = await issue("Till 1", "free", "--expires", "2999-01-31");
    const { exitCode, out } = await cli("keys", "edit", id, "--name", "Till 2", "--plan", "pro", "--read-only");
    expect(exitCode).toBe(0);
    expect(out.split("\n")).toEqual([
      `Key ${id} has been changed.`,
      "",
      "  name    Till 1 → Till 2",
      "  plan    free (60 per minute, 1,000 per day) → pro (300 per minute, 10,000 per day)",
      "  scopes  all → pets:read, orders:read (read-only)",
      "",
    ]);
    const changes = {
      name: "Till 2",
      plan: "pro",
      perMinute: 300,
      perDay: 10_000,
      scopes: ["pets:read", "orders:read"],
    };
    expect(await json("keys", "show", id)).toMatchObject({ ...before, ...changes });
    expect(await json("keys", "edit", id, "--expires", "never", "--scopes", "all")).toEqual({
      id,
      ...before,
      ...changes,
      scopes: before.scopes,
      expiresAt: null,
    });
    expect((await cli("keys", "edit", id, "--rotation", "on")).out).toContain(
      "  rotation  off → on (the holder may rotate the secret)\n",
    );
    expect(await json("keys", "show", id)).toMatchObject({ rotation: true });
    expect((await cli("keys", "edit", id, "--plan", "pro")).out).toBe(
      `Key ${id} was like this already: nothing has changed.\n`,
    );
  });

  test("gives an Enterprise key other quotas, one or both", async () => {
    const { id } = await issue("Partner", "enterprise", "--per-minute", "50", "--per-day", "500");
    expect(await json("keys", "edit", id, "--per-minute", "70")).toMatchObject({ perMinute: 70, perDay: 500 });
    expect(await failure("keys", "edit", id, "--per-minute", "501")).toContain(
      "lower --per-minute, or raise --per-day",
    );
    expect(await json("keys", "edit", id, "--plan", "free")).toMatchObject({ perMinute: 60, perDay: 1000 });
    expect(await failure("keys", "edit", id, "--per-day", "5")).toContain("the free plan has fixed quotas");
    expect(await failure("keys", "edit", id, "--plan", "enterprise")).toContain("set --per-minute and --per-day");
  });

  test("makes an expired key work again", async () => {
    const { id } = await issue("Trial", "free", "--expires", "1s");
    while ((await json("keys", "show", id)).state === "active") await Bun.sleep(50);
    for (const command of ["rotate", "suspend", "resume"])
      expect(await failure("keys", command, id)).toContain(
        `set a later date with animal-store keys edit ${id} --expires`,
      );
    expect(await json("keys", "edit", id, "--expires", "30d")).toMatchObject({ state: "active" });
  });

  test("without anything to change, or with a value that cannot be, is misuse", async () => {
    const { id } = await issue("Misused", "free");
    for (const [options, reason] of [
      [
        [],
        "give at least one of --name, --plan, --per-minute, --per-day, --scopes, --read-only, --rotation, --expires",
      ],
      [["--name", " "], "--name must not be empty"],
      [["--expires", "2020-01-01"], "--expires is in the past"],
      [["--scopes", "all", "--read-only"], "cannot be used with option '--read-only'"],
      [["--plan", "gold"], "The plans are free, pro, business, enterprise."],
      [["--paln", "free"], "Did you mean --plan?"],
    ] as const) {
      const { exitCode, out, err } = await cli("keys", "edit", id, ...options);
      expect([options, exitCode, out]).toEqual([options, 2, ""]);
      expect(err).toContain(reason);
    }
    expect(await json("keys", "show", id)).toMatchObject({ name: "Misused", plan: "free", expiresAt: null });
  });
});

describe("a name", () => {
  test("works wherever an id does, and the answer names the id", async () => {
    const { id } = await issue("Reception, 2nd floor", "free");
    const name = "Reception, 2nd floor";
    expect(await json("keys", "show", name)).toMatchObject({ id });
    expect((await cli("keys", "suspend", name)).out).toStartWith(`Key ${id} has been suspended.`);
    expect((await cli("keys", "resume", name)).out).toBe(`Key ${id} works again.\n`);
    expect((await cli("keys", "unban", name)).out).toBe(`Key ${id} was not banned.\n`);
    expect((await cli("keys", "rotate", name)).out).toContain(`\n\nKey ${id} has a new secret.`);
    expect((await cli("keys", "edit", name, "--plan", "pro")).out).toStartWith(`Key ${id} has been changed.`);
    expect((await cli("keys", "revoke", name, "--yes")).out).toBe(`Key ${id} has been revoked.\n`);
    expect(await failure("keys", "show", "Reception, 2nd flor")).toContain(`Did you mean "${name}"?`);
  });

  test("that several keys have is an error that lists their ids", async () => {
    const keys = [await issue("Twin", "free"), await issue("Twin", "free")];
    const ids = keys.map(({ id }) => id).join(", ");
    for (const command of [["show"], ["revoke", "--yes"], ["delete", "--yes"], ["edit", "--plan", "pro"]])
      expect(await failure("keys", ...command, "Twin")).toBe(
        `animal-store: 2 keys are named "Twin": give the id of one instead: ${ids}\n`,
      );
  });
});

describe("keys suspend, resume and delete", () => {
  test("say what they did, and when there was nothing to do", async () => {
    const { id } = await issue("Paused", "free");
    expect((await cli("keys", "resume", id)).out).toBe(`Key ${id} was not suspended.\n`);
    expect((await cli("keys", "suspend", id)).out).toContain(`To undo it: animal-store keys resume ${id}\n`);
    const suspendedAt = (await json("keys", "suspend", id)).suspendedAt.replace("T", " ");
    expect((await cli("keys", "suspend", id)).out).toBe(`Key ${id} was already suspended, at ${suspendedAt}.\n`);
    expect((await cli("keys", "show", id)).out).toContain(`suspended since ${suspendedAt}\n`);
    expect(await json("keys", "resume", id)).toMatchObject({ state: "active", suspendedAt: null });
    await cli("keys", "revoke", id, "--yes");
    for (const args of [["suspend"], ["resume"], ["edit", "--plan", "pro"]])
      expect(await failure("keys", ...args, id)).toContain("is revoked, which cannot be undone: issue a new one");
  });

  test("only a revoked key can be deleted, and then it is gone", async () => {
    const { id } = await issue("Mistake", "free");
    expect(await failure("keys", "delete", id, "--yes")).toContain(
      `revoke it first with animal-store keys revoke ${id}`,
    );
    await cli("keys", "revoke", id, "--yes");
    // The time is set back, so that it was almost long enough ago.
    querySqlite(join(cwd, "data/animal-store.db"), `UPDATE keys SET revoked_at = revoked_at - 9000 WHERE id = '${id}'`);
    const { exitCode, out, err } = await cli("keys", "delete", id, "--yes");
    expect([exitCode, out]).toEqual([0, `Key ${id} has been deleted, which cannot be undone.\n`]);
    expect(err).toMatch(/^Waiting 1 second: requests with the key may still be in progress\.\n$/);
    expect(await failure("keys", "show", id)).toContain(`there is no key "${id}"`);
    expect((await json("keys", "list")).map((key: { id: string }) => key.id)).not.toContain(id);
  });
});

describe("a running service feels within 2 s", () => {
  let service: RunningService;
  setUp(async () => {
    // Each thread feels it by itself: test/start/threads/writes.test.ts asks all of them.
    service = await serve({ cwd, env: { THREADS: "1" } });
  });

  test("that a key is suspended, and resumed", async () => {
    const { id, secret } = await issue("Felt", "free");
    const get = () => listPets(service, secret);
    expect((await get()).status).toBe(200);
    await cli("keys", "suspend", id);
    await untilAnswered(get, 401);
    expect(await (await get()).json()).toMatchObject({
      code: "invalid_api_key",
      message: expect.stringContaining("suspended"),
    });
    await cli("keys", "resume", id);
    await untilAnswered(get, 200);
  });

  test("that its plan has changed, and what it has used stays used", async () => {
    const { id, secret } = await issue("Upgraded", "free");
    for (let i = 0; i < 3; i++) await listPets(service, secret);
    await cli("keys", "edit", id, "--plan", "pro");
    while ((await listPets(service, secret)).headers.get("x-ratelimit-limit") !== "300") await Bun.sleep(50);
    while ((await json("keys", "show", id)).minute.used <= 3) await Bun.sleep(50);
    const { minute } = await json("keys", "show", id);
    expect(minute.used + minute.remaining).toBe(300);
    expect(minute.used).toBeGreaterThan(3);
  });

  test("that its scopes have changed, in both directions", async () => {
    const { id, secret } = await issue("Narrowed", "pro");
    const post = () => postAnimal(service, secret, "Rex");
    expect((await post()).status).toBe(201);
    await cli("keys", "edit", id, "--read-only");
    await untilAnswered(post, 403);
    expect((await listPets(service, secret)).status).toBe(200);
    await cli("keys", "edit", id, "--scopes", "pets:write");
    await untilAnswered(post, 201);
    expect((await listPets(service, secret)).status).toBe(403);
  });
});
