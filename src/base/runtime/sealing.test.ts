import { expect, test } from "bun:test";
import { newKeyId, newSecret } from "../../domain/keys/key.ts";
import { seal, unseal } from "./sealing.ts";

const [secret, presented, keyId] = [newSecret(), newSecret(), newKeyId()];

test("a sealed secret is opened by the secret that it was sealed with, and does not contain it", () => {
  const sealed = seal(secret, presented, keyId);
  expect(unseal(sealed, presented, keyId)).toBe(secret);
  for (const text of [sealed, Buffer.from(sealed, "base64url").toString("latin1")]) {
    expect(text).not.toContain(secret.slice(4, 20));
    expect(text).not.toContain(presented.slice(4, 20));
  }
});

test("no other secret opens it, not even the one in it, and no other key's holder", () => {
  const sealed = seal(secret, presented, keyId);
  for (const [other, id] of [
    [newSecret(), keyId],
    [secret, keyId],
    ["", keyId],
    [presented, newKeyId()],
  ] as const)
    expect(() => unseal(sealed, other, id)).toThrow();
});

test("a sealed secret that was changed in any byte is not opened", () => {
  const bytes = Buffer.from(seal(secret, presented, keyId), "base64url");
  for (let i = 0; i < bytes.length; i++) {
    const changed = Buffer.from(bytes);
    changed[i] = (changed[i] as number) ^ 1;
    expect(() => unseal(changed.toString("base64url"), presented, keyId)).toThrow();
  }
  for (const cut of ["", "AA", bytes.subarray(0, -1).toString("base64url")])
    expect(() => unseal(cut, presented, keyId)).toThrow();
});

test("the same secret is sealed differently each time", () => {
  const sealed = Array.from({ length: 50 }, () => seal(secret, presented, keyId));
  expect(new Set(sealed).size).toBe(50);
});
