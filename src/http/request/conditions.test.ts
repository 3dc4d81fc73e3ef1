import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { Reply } from "../reply/reply.ts";
import { IF_MATCH_HEADER, INVALID_IF_MATCH, readIfMatch, unlessKnown } from "./conditions.ts";

/** Everything that may stand between the quotes of a tag, commas included. */
const anyTag = fc
  .array(fc.constantFrom(..."!#$%&'()*+,-./09:;<=>?@AZ[\\]^_`az{|}~ÿ\x80"), { maxLength: 12 })
  .map((characters) => characters.join(""));
const anyMember = fc.record({ tag: anyTag, isWeak: fc.boolean() });
const anySpace = fc.constantFrom("", " ", "\t", "  ");
/** A list as a proxy may write it: with spaces and empty members anywhere. */
const anyList = fc
  .array(fc.tuple(anySpace, fc.oneof(anyMember, fc.constant(undefined)), anySpace), { minLength: 1, maxLength: 8 })
  .map((parts) => ({
    members: parts.flatMap(([, member]) => member ?? []),
    header: parts
      .map(([before, member, after]) => before + (member ? `${member.isWeak ? "W/" : ""}"${member.tag}"` : "") + after)
      .join(","),
  }));

describe("If-Match", () => {
  const documented = new RegExp(IF_MATCH_HEADER.schema.pattern, "u");
  /** The value as it arrives: HTTP has no spaces around that of a header. */
  const sent = (header: string): string => header.replace(/^[ \t]+|[ \t]+$/g, "");

  test("what the document allows is accepted, and what is accepted is in the document", () => {
    fc.assert(
      fc.property(fc.stringMatching(documented), (header) => expect(readIfMatch(header)).not.toBe(INVALID_IF_MATCH)),
    );
    fc.assert(
      fc.property(
        fc.oneof(
          anyList.map(({ header }) => sent(header)),
          fc.string({ unit: fc.constantFrom(...'*W/",a \t') }),
        ),
        (text) => {
          const header = sent(text);
          expect([header, documented.test(header)]).toEqual([header, readIfMatch(header) !== INVALID_IF_MATCH]);
        },
      ),
    );
    expect(documented.test(IF_MATCH_HEADER.example)).toBe(true);
  });

  test("of any list, the strong tags are what it asks for", () => {
    fc.assert(
      fc.property(anyList, ({ header, members }) => {
        const strong = members.filter(({ isWeak }) => !isWeak).map(({ tag }) => tag);
        expect(readIfMatch(header)).toEqual(members.length === 0 ? INVALID_IF_MATCH : { tags: strong });
      }),
    );
  });

  test("* is whatever is there; without the header nothing is asked for", () => {
    for (const header of ["*", " * ", "\t*"]) expect(readIfMatch(header)).toBe("exists");
    expect(readIfMatch(null)).toBeUndefined();
  });

  test("anything else is invalid, and never throws", () => {
    const invalid = [
      ...["", " ", ",", "a", '"', '"a', 'a"', '"a" "b"', '"a"b', '"a";"b"', "'a'", '*, "a"', '"a", *', "**"],
      ...['"a b"', '"a\tb"', '"a"b"', 'w/"a"', 'W/ "a"', "W/", 'W/"a', '"\x7f"', '"\x00"', '"ä€"'],
      `"${"a".repeat(1_000)}"`,
    ];
    for (const header of invalid) expect([header, readIfMatch(header)]).toEqual([header, INVALID_IF_MATCH]);
    fc.assert(fc.property(fc.string({ unit: "binary" }), (header) => void readIfMatch(header)));
  });

  test("no header takes long to read", () => {
    const worst = [" ", ",", '"', '"",', "W/", ' "a" ', " ,", "\t ", 'W/"'].flatMap((part) => {
      const repeated = part.repeat(999 / part.length);
      return [repeated, `${repeated}x`];
    });
    const before = process.cpuUsage();
    for (let i = 0; i < 100; i++) for (const header of [...worst, " ".repeat(16_000)]) readIfMatch(header);
    const { user } = process.cpuUsage(before);
    // 1,900 headers: a fraction of a millisecond for each.
    expect(user / 1000).toBeLessThan(2_000);
  });
});

describe("If-None-Match", () => {
  const tagged = (tag: string) => new Reply(200, "[]", { Link: "<next>" }, `"${tag}"`);

  test("a tag of any list matches, weak or strong, and the headers stay", () => {
    fc.assert(
      fc.property(anyList, anyTag, ({ header, members }, tag) => {
        const outcome = unlessKnown(tagged(tag), header);
        const isKnown = members.some((member) => member.tag === tag);
        expect([outcome.status, outcome.body]).toEqual(isKnown ? [304, null] : [200, "[]"]);
        expect([outcome.headers, outcome.etag]).toEqual([{ Link: "<next>" }, `"${tag}"`]);
        for (const member of members) expect(unlessKnown(tagged(member.tag), header).status).toBe(304);
      }),
    );
  });

  test("* matches whatever has a tag, and nonsense matches nothing", () => {
    expect(unlessKnown(tagged("a"), "*").status).toBe(304);
    for (const header of ["", "a", '"b"', '"a', '*, "a"', `"a", ${'"b", '.repeat(200)}`])
      expect([header, unlessKnown(tagged("a"), header).status]).toEqual([header, 200]);
  });

  test("what has no tag, and what is not 200, stays as it is", () => {
    for (const original of [new Reply(200, "{}"), new Reply(201, "{}", {}, '"a"')])
      expect(unlessKnown(original, "*")).toBe(original);
  });
});
