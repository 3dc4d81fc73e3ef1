import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import * as theirBase64 from "../../../src/base/runtime/base64.ts";
import * as theirDigests from "../../../src/base/runtime/digests.ts";
import * as theirJson from "../../../src/base/runtime/json.ts";
import * as theirNetwork from "../../../src/base/runtime/network.ts";
import * as theirQuickDigest from "../../../src/base/runtime/quick-digest.ts";
import * as theirSealing from "../../../src/base/runtime/sealing.ts";
import * as base64 from "../../testing/runtime/base64.ts";
import * as digests from "../../testing/runtime/digests.ts";
import * as json from "../../testing/runtime/json.ts";
import * as network from "../../testing/runtime/network.ts";
import * as quickDigest from "../../testing/runtime/quick-digest.ts";
import * as sealing from "../../testing/runtime/sealing.ts";

const text = fc.string({ unit: "binary", maxLength: 200 }).map((text) => text.toWellFormed());

describe("what takes the place of Bun in the testing kit", () => {
  test("has a file for each of the service's, with everything that is in it", () => {
    const names = (folder: string) =>
      [...new Bun.Glob("*.ts").scanSync(new URL(folder, import.meta.url).pathname)]
        .filter((name) => !name.includes(".test."))
        .sort();
    expect(names("../../testing/runtime")).toEqual(names("../../../src/base/runtime"));
    const [ours, theirs] = [
      [base64, digests, json, network, quickDigest, sealing],
      [theirBase64, theirDigests, theirJson, theirNetwork, theirQuickDigest, theirSealing],
    ];
    for (const [i, module] of theirs.entries()) expect(Object.keys(ours[i] ?? {})).toContainValues(Object.keys(module));
  });

  test("makes the same digests, also at the edges of SHA-256's blocks", () => {
    const digestsOf = ({ sha256, sha256Hex, crc32 }: typeof digests | typeof theirDigests, text: string) => [
      sha256(text),
      sha256Hex(text),
      crc32(text),
    ];
    for (let length = 0; length <= 130; length++) {
      const long = "x".repeat(length);
      expect(digestsOf(digests, long)).toEqual(digestsOf(theirDigests, long));
    }
    fc.assert(fc.property(text, (text) => expect(digestsOf(digests, text)).toEqual(digestsOf(theirDigests, text))));
  });

  test("makes tags of pages that differ as the service's do", () => {
    const [rex, tom] = ['[{"id":1}]', '[{"id":2}]'];
    const tags = [rex, tom].flatMap((page) => [
      quickDigest.quickDigest(page, 1n, 2n),
      quickDigest.quickDigest(page, 3n, 4n),
    ]);
    expect(new Set(tags).size).toBe(4);
    for (const tag of tags) expect(tag).toHaveLength(theirQuickDigest.quickDigest(rex, 1n, 2n).length);
  });

  test("encodes and decodes the same base64url, and gives no other text back for what is not", () => {
    const both = (encoded: string) =>
      [base64, theirBase64].map(({ decodeBase64Url, encodeBase64Url }) => {
        const text = decodeBase64Url(encoded);
        return encodeBase64Url(text) === encoded ? text : undefined;
      });
    fc.assert(
      fc.property(text, (text) => {
        const encoded = base64.encodeBase64Url(text);
        expect(encoded).toBe(theirBase64.encodeBase64Url(text));
        expect(both(encoded)).toEqual([text, text]);
      }),
    );
    fc.assert(
      fc.property(fc.stringMatching(/^[\w-]{0,12}$/), (encoded) => {
        const [ours, theirs] = both(encoded);
        expect(ours).toBe(theirs);
      }),
    );
  });

  test("opens what is sealed for the secret and the id that it was sealed with, and for no other", () => {
    for (const { seal, unseal } of [sealing, theirSealing]) {
      const sealed = seal("ask_new…", "ask_old", "key_1");
      expect(unseal(sealed, "ask_old", "key_1")).toBe("ask_new…");
      expect(() => unseal(sealed, "ask_new…", "key_1")).toThrow();
      expect(() => unseal(sealed, "ask_old", "key_2")).toThrow();
    }
  });

  test("reads JSON with the literals of its numbers, and throws for what is none", () => {
    const read = ({ parseWithLiterals }: typeof json | typeof theirJson, text: string) => {
      const literals: unknown[] = [];
      try {
        const value = parseWithLiterals(text, (name, value, context) => {
          if (typeof value === "number") literals.push([name, context?.source]);
          return value;
        });
        return { value, literals };
      } catch (error) {
        return (error as Error).name;
      }
    };
    const texts = [
      '{"a":9223372036854775807,"b":-1.50e+3,"c":"12","d\\"3":[0,{"e":1}],"f":"\\\\","g":7}',
      '{"a":01}',
      '{"a":+1}',
      "12",
      '"12',
      "",
    ];
    for (const text of texts) expect(read(json, text)).toEqual(read(theirJson, text));
    fc.assert(fc.property(fc.json(), (text) => expect(read(json, text)).toEqual(read(theirJson, text))));
  });
});
