import { describe, expect, test } from "bun:test";
import { ENVIRONMENT_NAMES } from "../../src/domain/environment.ts";
import { newSecret } from "../../src/domain/keys/key.ts";
import { RawConnection } from "../harness/requests/raw.ts";
import type { TestService } from "../harness/service/service.ts";
import { onEveryStore } from "../harness/service/stores.ts";
import { FakeClock } from "../harness/time/clock.ts";

onEveryStore(({ startService, setUp, backend }) => {
  let service: TestService;
  setUp(async () => {
    service = await startService({ env: { ANONYMOUS_PER_MINUTE: "1000" } });
  });
  const withHeader = (authorization: string) =>
    service.call("GET /pets", { secret: null, headers: { Authorization: authorization } });

  test("5.1 every operation takes the API key as a bearer token", async () => {
    for (const line of ["GET /pets", "HEAD /pets"]) expect((await service.call(line)).status).toBe(200);
    expect((await service.call("POST /pets", { body: { name: "Rex", categoryId: 1 } })).status).toBe(201);
    expect((await service.call("GET /pets/1")).status).toBe(200);
  });

  test("5.1 the scheme may be written in any case", async () => {
    for (const scheme of ["Bearer", "bearer", "BEARER"])
      expect((await withHeader(`${scheme} ${service.boundless}`)).status).toBe(200);
  });

  describe("5.2 a missing or invalid credential answers 401 with an Error body, never 400", () => {
    test("5.2 missing: the challenge names the scheme and no error", async () => {
      const { json, headers } = await service.call("GET /pets", { secret: null });
      expect(json).toMatchObject({ code: "missing_api_key", status: 401 });
      expect(headers.get("www-authenticate")).toBe('Bearer realm="animal-store"');
    });

    test("5.2 malformed, mistyped or unknown: the challenge says invalid_token", async () => {
      const known = service.boundless;
      const wrong = [
        "Bearer",
        "Bearer ",
        "Basic dXNlcjpwYXNz",
        known,
        `Bearer ${known} x`,
        `Bearer ${known}x`,
        `Bearer ${known.slice(0, -1)}`,
        `Bearer ${newSecret()}`,
        "Bearer ä",
        `Bearer ${"x".repeat(8000)}`,
        "Bearer ' OR 1=1 --",
      ];
      for (const authorization of wrong) {
        const { json, headers } = await withHeader(authorization);
        expect(json).toMatchObject({ code: "invalid_api_key", status: 401 });
        expect(headers.get("www-authenticate")).toBe('Bearer realm="animal-store", error="invalid_token"');
      }
    });

    test("5.2 unknown, and of the other environment: the message says so, and nothing else is different", async () => {
      const staging = await startService({ env: { ENVIRONMENT: "staging" } });
      const messageOf = async (of: TestService, secret: string) => {
        const { json, headers } = await of.call("GET /pets", { secret });
        expect(json).toEqual({ code: "invalid_api_key", message: expect.any(String), status: 401 });
        expect(headers.get("www-authenticate")).toBe('Bearer realm="animal-store", error="invalid_token"');
        return json.message;
      };
      const ofStaging =
        "This API key is for staging, and this is production. Use a key of production, or send the request to staging.";
      const ofProduction =
        "This API key is for production, and this is staging. Use a key of staging, or send the request to production.";
      const unknown = "This API key is unknown. Check that you copied all of it.";
      for (const [of, secret, message] of [
        [service, newSecret("staging"), ofStaging],
        // Also one that is not complete: only the prefix is looked at.
        [service, newSecret("staging").slice(0, -3), ofStaging],
        [service, newSecret("production"), unknown],
        [service, "other", unknown],
        [staging, newSecret("production"), ofProduction],
        [staging, newSecret("staging"), unknown],
        [staging, "other", unknown],
      ] as const)
        expect(await messageOf(of, secret)).toBe(message);
    });

    test("5.2 a known secret works whatever its prefix", async () => {
      for (const ENVIRONMENT of ENVIRONMENT_NAMES) {
        const either = await startService({ env: { ENVIRONMENT } });
        for (const issuedIn of ENVIRONMENT_NAMES) {
          const { secret } = await either.issueKey({ environment: issuedIn });
          expect(secret.startsWith("ask_test_")).toBe(issuedIn === "staging");
          expect((await either.call("GET /pets", { secret })).status).toBe(200);
        }
      }
    });

    test("5.2 sent twice", async () => {
      const connection = await RawConnection.open(service.origin);
      const header = `Authorization: Bearer ${service.boundless}\r\n`;
      connection.send(`GET /v1/pets HTTP/1.1\r\nHost: test\r\n${header}${header}\r\n`);
      expect(await connection.answer()).toStartWith("HTTP/1.1 401");
      connection.destroy();
    });

    test("5.2 the secret is not echoed", async () => {
      const secret = newSecret();
      expect((await service.call("GET /pets", { secret })).text).not.toContain(secret.slice(0, 12));
    });
  });

  test("5.3 a key that has expired is invalid from that moment on", async () => {
    const clock = new FakeClock();
    const timed = await startService({ clock });
    const { secret } = await timed.issueKey({ expiresAtMs: clock.nowMs() + 1000 });
    clock.advance(999);
    expect((await timed.call("GET /pets", { secret })).status).toBe(200);
    clock.advance(1);
    const { json } = await timed.call("GET /pets", { secret });
    expect(json).toMatchObject({ code: "invalid_api_key", status: 401, message: expect.stringContaining("expired") });
  });

  test("5.3 the database holds no secret, only its SHA-256", async () => {
    await service.call("GET /pets");
    const text = await backend.contents(service.storage);
    expect(text).not.toContain(service.boundless);
    expect(text).toContain(new Bun.CryptoHasher("sha256").update(service.boundless).digest("hex"));
  });
});
