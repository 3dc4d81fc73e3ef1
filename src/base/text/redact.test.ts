import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { ENVIRONMENT_NAMES } from "../../domain/environment.ts";
import { newSecret } from "../../domain/keys/key.ts";
import { mayHoldSecret, withoutSecrets } from "./redact.ts";

/** Some characters of a text percent-encoded, in either case, as a client or an attacker might. */
const encodedSome = (text: string, choices: readonly number[]): string =>
  [...text]
    .map((character, i) => {
      const choice = (choices[i % choices.length] as number) % 3;
      const hex = character.charCodeAt(0).toString(16).padStart(2, "0");
      return choice === 0 ? character : `%${choice === 1 ? hex : hex.toUpperCase()}`;
    })
    .join("");

const anySecret = fc.constantFrom(...ENVIRONMENT_NAMES).map(newSecret);
/** The characters of a secret after its prefix. */
const afterPrefix = (secret: string): string => secret.slice(secret.lastIndexOf("_") + 1);
const anyChoices = fc.array(fc.nat({ max: 8 }), { minLength: 1, maxLength: 50 });
/** Other things that a path may have around it. */
const anyContext = fc.stringMatching(/^(?:[a-z%/.~-]|%[0-9a-f]{2}|[0-9A-Z]){0,12}$/);

const decodedAll = (text: string): string[] => {
  const texts = [text];
  for (let i = 0; i < 8; i++)
    texts.push(
      (texts.at(-1) as string).replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
    );
  return texts;
};

describe("withoutSecrets", () => {
  test("whatever the encoding, neither a secret nor its random part is left", () => {
    fc.assert(
      fc.property(
        anySecret,
        fc.boolean(),
        fc.array(anyChoices, { maxLength: 6 }),
        anyContext,
        anyContext,
        (secret, hasPrefix, encodings, before, after) => {
          let hidden = hasPrefix ? secret : afterPrefix(secret);
          for (const choices of encodings) hidden = encodedSome(hidden, choices);
          for (const text of decodedAll(withoutSecrets(`/v1/pets/${before}${hidden}${after}`)))
            expect(text).not.toContain(afterPrefix(secret).slice(0, 30));
        },
      ),
      { numRuns: 500 },
    );
  }, 30_000);

  test("says where a secret was, and leaves everything else as it was written", () => {
    const secret = newSecret();
    expect(withoutSecrets(`/v1/pets/${secret}/${secret}`)).toBe("/v1/pets/ask_…/ask_…");
    expect(withoutSecrets(`/v1/pets/${secret.slice(4, 30)}`)).toBe("/v1/pets/…");
    expect(withoutSecrets(`/v1/pets/%61${secret.slice(1)}`)).toBe("/v1/pets/ask_…");
    expect(withoutSecrets(`/v1/pets/${encodeURIComponent(encodedSome(secret, [1]))}`)).toBe("/v1/pets/ask_…");
    expect(withoutSecrets(`/v1/pets/${newSecret("staging")}`)).toBe("/v1/pets/ask_test_…");
    for (const path of ["/v1/pets/ask_me", "/v1/pets/9223372036854775807", "/v1/pets/%C3%A9%20%2541", "/v1/%", "/"])
      expect(withoutSecrets(path)).toBe(path);
  });

  test("what is encoded too many times to be believed is not shown, and costs little", () => {
    expect(withoutSecrets(`/v1/pets/%${"25".repeat(8000)}41`)).toBe("…");
  });
});

describe("mayHoldSecret", () => {
  test("secrets, and most of one, with and without their prefix", () => {
    fc.assert(
      fc.property(anySecret, fc.stringMatching(/^[a-z0-9._-]{0,8}$/), (secret, before) => {
        const random = afterPrefix(secret);
        const cut = secret.slice(0, secret.length - 16);
        for (const part of [secret, random, random.slice(0, 30), cut, random.slice(4)])
          expect(mayHoldSecret(before + part)).toBe(true);
      }),
    );
  });

  test("not the ids of common proxies", () => {
    for (const id of [
      "r1",
      "task_17",
      crypto.randomUUID(),
      "7d1f0a6a0e6f4b0f9c5b2f3a4e5d6c7b",
      "4BF92F3577B34DA6A3CE929D0E0E4736",
      "01ARZ3NDEKTSV4RRFFQ69G5FAV",
      "2NqPrMDNvFMhjKSVUDC7hjTPWgS",
      "1-67891233-abcdef012345678912345678",
    ])
      expect(mayHoldSecret(id)).toBe(false);
  });
});
