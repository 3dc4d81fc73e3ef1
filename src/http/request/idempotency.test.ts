import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { done } from "../../base/result.ts";
import type { IdempotencyKey } from "../../domain/idempotency.ts";
import { Fault } from "../faults/fault.ts";
import { IDEMPOTENCY_IN_PROGRESS } from "../faults/faults.ts";
import { createWithIdempotency, fingerprintOf, IDEMPOTENCY_KEY_HEADER, readIdempotencyKey } from "./idempotency.ts";

describe("the Idempotency-Key header", () => {
  test("every text that matches the documented pattern is accepted, and no other", () => {
    const documented = new RegExp(IDEMPOTENCY_KEY_HEADER.schema.pattern);
    fc.assert(
      fc.property(fc.oneof(fc.stringMatching(documented), fc.string(), fc.string({ unit: "binary-ascii" })), (text) => {
        const isDocumented = documented.test(text) && text.length <= IDEMPOTENCY_KEY_HEADER.schema.maxLength;
        expect(readIdempotencyKey(text) instanceof Fault).toBe(!isDocumented);
      }),
      { numRuns: 500 },
    );
  });

  test("is the same with quotes and without", () => {
    expect(readIdempotencyKey('"a b"')).toBe("a b");
    expect(readIdempotencyKey("a b")).toBe("a b");
    expect(readIdempotencyKey("x".repeat(255))).toBe("x".repeat(255));
    expect(readIdempotencyKey("x".repeat(256))).toBeInstanceOf(Fault);
    expect(readIdempotencyKey(null)).toBeUndefined();
  });
});

describe("fingerprints", () => {
  test("are those of release 1.0.0 for its two writes", () => {
    const of100 = (operation: string, content: readonly unknown[]) =>
      new Bun.CryptoHasher("sha256").update(JSON.stringify([operation, ...content.map(String)])).digest("base64url");
    expect(fingerprintOf("createPet", ["Rex", 7n, "available"])).toBe(of100("createPet", ["Rex", 7n, "available"]));
    expect(fingerprintOf("placeOrder", [42n])).toBe(of100("placeOrder", [42n]));
  });

  test("tell which field a value belongs to, and do not change when an optional field is added", () => {
    expect(fingerprintOf("updatePet", ["1"])).not.toBe(fingerprintOf("updatePet", [undefined, "1"]));
    expect(fingerprintOf("updatePet", ["1", undefined])).toBe(fingerprintOf("updatePet", ["1"]));
    expect(fingerprintOf("updatePet", ["null"])).not.toBe(fingerprintOf("updatePet", [undefined]));
  });
});

describe("withIdempotency", () => {
  const key: IdempotencyKey = { keyId: "key_1", value: "a", fingerprint: "f", nowMs: 0 };

  test("a copy waits for the first, whether that succeeds or fails", async () => {
    const withIdempotency = createWithIdempotency(10_000);
    const events: string[] = [];
    const first = Promise.withResolvers<void>();
    const slow = withIdempotency(key, async () => {
      await first.promise;
      events.push("first");
      throw new Error("store gone");
    });
    const copy = withIdempotency(key, async () => {
      events.push("copy");
      return done("copy");
    });
    first.resolve();
    expect(slow).rejects.toThrow("store gone");
    expect(await copy).toEqual(done("copy"));
    expect(events).toEqual(["first", "copy"]);
  });

  test("a copy that has waited long enough is told that the first is in progress", async () => {
    const withIdempotency = createWithIdempotency(1);
    const first = Promise.withResolvers<void>();
    const slow = withIdempotency(key, () => first.promise.then(() => done(1)));
    expect(await withIdempotency(key, async () => done(2))).toBe(IDEMPOTENCY_IN_PROGRESS);
    expect(await withIdempotency({ ...key, value: "b" }, async () => done(3))).toEqual(done(3));
    first.resolve();
    expect(await slow).toEqual(done(1));
  });
});
