import { expect, test } from "bun:test";
import { DAY_MS, MINUTE_MS } from "../../src/base/time/clock.ts";
import { OWN_ROTATIONS_MAX } from "../../src/domain/keys/rotation.ts";
import { SCOPES } from "../../src/domain/keys/scope.ts";
import { editKey } from "../../src/keys/edit.ts";
import { rotateKey } from "../../src/keys/rotate.ts";
import { suspendKey } from "../../src/keys/suspend.ts";
import type { Answer } from "../harness/requests/send.ts";
import { SIGNED } from "../harness/rows/author.ts";
import type { IssueOptions, TestService } from "../harness/service/service.ts";
import { onEveryStore } from "../harness/service/stores.ts";
import { FakeClock } from "../harness/time/clock.ts";

const SECRET = /^ask_[0-9A-Za-z]{36}$/;

onEveryStore(({ startService, setUp, backend }) => {
  let service: TestService;
  const clock = new FakeClock();
  setUp(async () => {
    service = await startService({ clock, env: { THREADS: "2" } });
  });
  const isoOf = (ms: number): string => new Date(ms).toISOString();
  const issue = (options: IssueOptions = {}) =>
    service.issueKey({ plan: "enterprise", mayRotate: true, name: "shop", ...options });
  const rotate = (secret: string, more: { body?: unknown; headers?: Record<string, string> } = {}): Promise<Answer> =>
    service.call("POST /key/rotate", { secret, ...more });
  const getKey = async (secret: string) => (await service.call("GET /key", { secret })).status;
  const entriesOf = (keyId: string) =>
    service.withStore(async ({ journal }) => (await journal.list({ keyId, size: 100 })).rows);
  const secretsOf = (keyId: string) => service.withStore(async ({ keys }) => keys.secretsOf(keyId));
  const use = <Value>(work: (parts: never) => Promise<Value>): Promise<Value> =>
    service.withStore(({ keys }) => work({ keys, clock, author: SIGNED, environment: "production" } as never));

  test("4.4 rotateKey gives a key a new secret, and the old one works for a day", async () => {
    const { id, secret } = await issue();
    const { status, json, headers } = await rotate(secret);
    expect(status).toBe(200);
    const endMs = clock.nowMs() + DAY_MS;
    expect(json).toEqual({ id, secret: expect.stringMatching(SECRET), oldSecretExpiresAt: isoOf(endMs) });
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.has("etag")).toBe(false);
    expect([await getKey(secret), await getKey(json.secret)]).toEqual([200, 200]);
    expect((await secretsOf(id)).map(({ expiresAtMs }) => expiresAtMs)).toEqual([undefined, endMs]);
  });

  test("4.4 rotateKey takes an overlap from a minute to a year, and refuses any other with 400", async () => {
    const { secret } = await issue();
    for (const overlapSeconds of [59, 31_536_001, -60, 0, 60.5, "60", null, true, [60], 2 ** 53]) {
      const { status, json } = await rotate(secret, { body: { overlapSeconds } });
      expect([overlapSeconds, status, json.code]).toEqual([overlapSeconds, 400, "invalid_value"]);
      expect(json.message).toContain('"overlapSeconds" must be a whole number of seconds from 60 to 31536000');
    }
    for (const [body, code] of [
      [{ overlap: 60 }, "unknown_field"],
      ["[]", "invalid_value"],
      ["{", "invalid_json"],
    ] as const)
      expect((await rotate(secret, { body })).json.code).toBe(code);
    expect((await rotate(secret, { body: "{}", headers: { "Content-Type": "text/plain" } })).status).toBe(415);
    expect((await service.call("POST /key/rotate?overlapSeconds=60", { secret })).status).toBe(400);
    const minute = await rotate(secret, { body: { overlapSeconds: 60 } });
    expect(minute.json.oldSecretExpiresAt).toBe(isoOf(clock.nowMs() + MINUTE_MS));
    const year = await rotate(minute.json.secret, { body: { overlapSeconds: 31_536_000 } });
    expect(year.json.oldSecretExpiresAt).toBe(isoOf(clock.nowMs() + 365 * DAY_MS));
    expect((await rotate(year.json.secret, { body: {} })).json.oldSecretExpiresAt).toBe(isoOf(clock.nowMs() + DAY_MS));
  });

  test("4.4 the old secret ends with its key, if that is sooner", async () => {
    const expiresAtMs = clock.nowMs() + 5 * MINUTE_MS;
    const { secret } = await issue({ expiresAtMs });
    expect((await rotate(secret)).json.oldSecretExpiresAt).toBe(isoOf(expiresAtMs));
  });

  test("4.4 no key may rotate by having all scopes: without the right it is 403, and GET /key says so", async () => {
    const { id, secret } = await issue({ mayRotate: false, scopes: SCOPES });
    expect((await service.call("GET /key", { secret })).json.rotation).toBe(false);
    const { status, json, headers } = await rotate(secret);
    expect([status, json.code]).toEqual([403, "insufficient_scope"]);
    expect(json.message).toStartWith("This API key may not rotate its own secret.");
    expect(headers.get("www-authenticate")).toBe(
      'Bearer realm="animal-store", error="insufficient_scope", scope="key:rotate"',
    );
    expect(await entriesOf(id)).toHaveLength(1);
    const allowed = await issue({ scopes: [] });
    expect((await service.call("GET /key", { secret: allowed.secret })).json.rotation).toBe(true);
    expect((await rotate(allowed.secret)).status).toBe(200);
  });

  test("4.4 the transaction decides: what the operator has changed is felt at once, whatever a thread still believes", async () => {
    for (const [change, code] of [
      [(id: string) => use((parts) => editKey(parts, { idOrName: id, mayRotate: false })), "insufficient_scope"],
      [(id: string) => use((parts) => suspendKey(parts, id)), "invalid_api_key"],
      [(id: string) => use((parts) => rotateKey(parts, { idOrName: id, overlapMs: DAY_MS })), "secret_replaced"],
    ] as const) {
      const { id, secret } = await issue();
      expect(await getKey(secret)).toBe(200);
      await change(id);
      const before = await secretsOf(id);
      expect((await rotate(secret)).json.code).toBe(code);
      expect(await secretsOf(id)).toEqual(before);
    }
  });

  test("4.4 only the newest secret rotates: an older one gets 409 secret_replaced, and changes nothing", async () => {
    const { id, secret } = await issue();
    const { secret: newest } = (await rotate(secret)).json;
    const { status, json } = await rotate(secret);
    expect([status, json.code]).toEqual([409, "secret_replaced"]);
    expect(await secretsOf(id)).toHaveLength(2);
    expect((await rotate(newest)).status).toBe(200);
  });

  test("4.4 five rotations in 24 hours: the next one is 409 too_many_rotations, and says when it is possible", async () => {
    const { id, secret: first } = await issue();
    let secret = first;
    const startedAtMs = clock.nowMs();
    for (let i = 0; i < OWN_ROTATIONS_MAX; i++) {
      secret = (await rotate(secret)).json.secret;
      clock.advance(MINUTE_MS);
    }
    const { status, json } = await rotate(secret);
    expect([status, json.code]).toEqual([409, "too_many_rotations"]);
    expect(json.message).toContain(`The next rotation is possible at ${isoOf(startedAtMs + DAY_MS)}`);
    expect(await secretsOf(id)).toHaveLength(1 + OWN_ROTATIONS_MAX);
    // Rotations by the operator do not count, and are always possible.
    const by = await use((parts) => rotateKey(parts, { idOrName: id, overlapMs: DAY_MS }));
    expect(by.kind).toBe("done");
    clock.advance(DAY_MS);
    secret = by.kind === "done" ? by.value.secret : "";
    const again = await rotate(secret);
    expect(again.status).toBe(200);
  });

  test("4.4 a rotation is in the journal as done by the key, without the secret, and shows to the operator's overview", async () => {
    const { id, secret } = await issue({ name: "Till 3" });
    const { json } = await rotate(secret, { body: { overlapSeconds: 60 } });
    const entries = await entriesOf(id);
    expect(entries.at(-1)).toMatchObject({
      by: "Till 3",
      via: "key",
      action: "keys rotate",
      atMs: clock.nowMs(),
      subject: { kind: "key", id, name: "Till 3" },
      after: { oldSecretsWorkUntil: json.oldSecretExpiresAt },
    });
    const since = (sinceMs: number) => service.withStore(async ({ keys }) => keys.rotatedByHolders({ sinceMs }));
    expect(await since(clock.nowMs() - 1)).toContainEqual({ keyId: id, name: "Till 3", atMs: clock.nowMs() });
    expect((await since(clock.nowMs())).filter(({ keyId }) => keyId === id)).toEqual([]);
    const contents = await backend.contents(service.storage);
    for (const each of [secret, json.secret]) expect(contents).not.toContain(each.slice(4));
  });

  test("4.4 a retry with the same Idempotency-Key and secret gets the same new secret, which is nowhere in clear", async () => {
    const { id, secret } = await issue();
    const headers = { "Idempotency-Key": "rotate-1" };
    const first = await rotate(secret, { headers });
    const again = await rotate(secret, { headers });
    expect([first.status, again.status]).toEqual([200, 200]);
    expect(again.json).toEqual(first.json);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect(await secretsOf(id)).toHaveLength(2);
    const contents = await backend.contents(service.storage);
    for (const hidden of [secret, first.json.secret]) {
      expect(contents).not.toContain(hidden);
      expect(contents).not.toContain(Buffer.from(hidden).toString("base64url").slice(4, -4));
    }
    // With the new secret, or with another overlap, it is another request.
    expect((await rotate(first.json.secret, { headers })).json.code).toBe("idempotency_mismatch");
    expect((await rotate(secret, { headers, body: { overlapSeconds: 60 } })).json.code).toBe("idempotency_mismatch");
    expect(await secretsOf(id)).toHaveLength(2);
  });

  test("4.4 of many rotations with one secret, on all threads at once, exactly one succeeds", async () => {
    const { id, secret } = await issue();
    const answers = await Promise.all(Array.from({ length: 24 }, () => rotate(secret)));
    const codes = answers.map(({ status, json }) => (status === 200 ? "rotated" : json.code)).sort();
    expect(codes).toEqual(["rotated", ...Array.from({ length: 23 }, () => "secret_replaced")]);
    expect(await secretsOf(id)).toHaveLength(2);
    expect((await entriesOf(id)).filter(({ action }) => action === "keys rotate")).toHaveLength(1);
  });

  test("4.4 copies of one rotation that arrive together all get the one new secret", async () => {
    const { id, secret } = await issue();
    const headers = { "Idempotency-Key": "copies" };
    const send = async (): Promise<string> => {
      for (;;) {
        const { status, json } = await rotate(secret, { headers });
        if (status === 200) return json.secret;
        expect(json.code).toBe("idempotency_in_progress");
      }
    };
    const secrets = await Promise.all(Array.from({ length: 24 }, send));
    expect(new Set(secrets).size).toBe(1);
    expect(await getKey(secrets[0] as string)).toBe(200);
    expect(await secretsOf(id)).toHaveLength(2);
  });

  test("4.4 the log has neither of the secrets", async () => {
    const logged: string[] = [];
    const loud = await startService({ logged, env: { LOG_REQUESTS: "on" } });
    const { secret } = await loud.issueKey({ mayRotate: true });
    const { json } = await loud.call("POST /key/rotate", { secret });
    await loud.stop();
    const text = logged.join("\n");
    expect(text).toContain("rotateKey");
    for (const hidden of [secret, json.secret]) expect(text).not.toContain(hidden.slice(4));
  });
});
