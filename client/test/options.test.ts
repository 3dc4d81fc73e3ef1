import { describe, expect, test } from "bun:test";
import { startService } from "../../test/harness/service/service.ts";
import { AnimalStore, type AnimalStoreOptions } from "../src/index.ts";

const baseUrl = "http://127.0.0.1:1/v1";
const apiKey = "pk_live_Zebra";
const made = (options: object) => () => new AnimalStore({ baseUrl, apiKey, ...options } as AnimalStoreOptions);

describe("options that cannot be right are a TypeError that names them", () => {
  const WRONG: Readonly<Record<string, readonly unknown[]>> = {
    timeoutMs: [0, -1, Number.NaN, "3", {}, 1n, Symbol("x")],
    retries: [-1, Number.NaN, "3", true],
    maxWaitMs: [-1, Number.NaN, "3", []],
    pacing: ["no", 0, 1, {}],
    fetch: ["fetch", {}],
    onRequest: ["log", {}],
    onResponse: [7],
    onRetry: [true],
    onDeprecated: ["warn"],
    onFailure: [{}],
    logLevel: ["verbose", 3, null, true],
    logger: ["console", null, {}, { debug() {}, info() {}, warn() {} }],
    userAgent: ["a\nb", "caf\u{1f408}"],
    headers: [{ "X A": "1" }, { X: "1\r\nY: 2" }, { "": "x" }, { Authorization: "Bearer x" }, { X: "\u{1f408}" }],
  };
  for (const [option, values] of Object.entries(WRONG))
    for (const value of values)
      test(`${option}: ${Bun.inspect(value).replace(/\s+/g, " ")}`, () => {
        expect(made({ [option]: value })).toThrow(TypeError);
        expect(made({ [option]: value })).toThrow(option);
      });

  test("also those of a call, which then sends nothing", async () => {
    let sent = 0;
    const store = new AnimalStore({ baseUrl, apiKey, onRequest: () => void sent++ });
    const rejected = async (options: object): Promise<string> =>
      String(await store.pets.create({ name: "Rex", categoryId: 7 }, options).catch((error: unknown) => error));
    expect(await rejected({ timeoutMs: 0 })).toStartWith("TypeError: timeoutMs is 0. It must be a number from 1");
    expect(await rejected({ retries: "3" })).toStartWith('TypeError: retries is "3".');
    expect(await rejected({ maxWaitMs: Number.NaN })).toStartWith("TypeError: maxWaitMs is NaN.");
    for (const text of ["", "a\nb", "caf\u00e9", "\u{1f408}"]) {
      expect(await rejected({ idempotencyKey: text })).toStartWith("TypeError: idempotencyKey must be printable ASCII");
      expect(await rejected({ ifMatch: text })).toStartWith("TypeError: ifMatch must be printable ASCII");
    }
    expect(sent).toBe(0);
  });

  test("and what is unusual but right is taken", () => {
    for (const options of [
      { timeoutMs: Number.POSITIVE_INFINITY, maxWaitMs: 0, retries: 0 },
      { retries: Number.POSITIVE_INFINITY, maxWaitMs: Number.POSITIVE_INFINITY, timeoutMs: 0.5 + 1 },
      { headers: { "X-Team": "caf\u00e9", Cookie: "a=b", "User-Agent": "x" }, userAgent: "" },
      { pacing: undefined, fetch: undefined, onRequest: undefined, headers: undefined, userAgent: undefined },
    ])
      expect(made(options)).not.toThrow();
  });
});

describe("baseUrl", () => {
  const WRONG = [
    ...["", "/v1", "localhost/v1", "localhost:8080/v1", "ftp://localhost/v1", "file:///v1", "http://", "http:///v1x"],
    ...[
      "http://localhost:8080",
      "http://localhost:8080/",
      "http://localhost/V1",
      "http://localhost/v10",
      "http://a/v1/pets",
    ],
    ...[
      "http://localhost/v1?key=x",
      "http://localhost/v1#x",
      "http://localhost/v1?",
      "http://h:99999/v1",
      "http://[::1/v1",
    ],
    ...["http://user:Zebra@localhost/v1", "http://Zebra@localhost/v1", "https://:Zebra@localhost/v1"],
  ];
  for (const text of WRONG)
    test(`${JSON.stringify(text)} is refused, without being repeated`, () => {
      expect(made({ baseUrl: text })).toThrow(/^baseUrl is (wrong|missing)\. Pass one that ends in \/v1/);
      expect(made({ baseUrl: text })).not.toThrow(/Zebra/);
    });
  for (const value of [42, {}, [], true])
    test(`${JSON.stringify(value)} is refused`, () => {
      expect(made({ baseUrl: value })).toThrow(/^baseUrl is/);
    });

  const RIGHT = {
    "http://localhost:8080/v1": "http://localhost:8080/v1/key",
    "HTTP://LOCALHOST:8080/v1": "http://localhost:8080/v1/key",
    "https://animals.example:443/v1///": "https://animals.example/v1/key",
    "https://example.com/shops/7/v1/": "https://example.com/shops/7/v1/key",
    "http://[::1]:8080/v1": "http://[::1]:8080/v1/key",
    " http://localhost/v1\n": "http://localhost/v1/key",
  };
  for (const [given, asked] of Object.entries(RIGHT))
    test(`${JSON.stringify(given)} is asked as ${asked}`, async () => {
      const urls: string[] = [];
      const fetch = async (url: string): Promise<Response> => {
        urls.push(url);
        return Response.json({ plan: "free" });
      };
      await new AnimalStore({ baseUrl: given, apiKey, fetch }).key();
      expect(urls).toEqual([asked]);
    });

  test("may be a URL", async () => {
    const service = await startService();
    const url = new URL(`${service.origin}/v1`) as unknown as string;
    expect(await new AnimalStore({ baseUrl: url, apiKey: service.boundless }).key()).toMatchObject({ name: "test" });
  });
});
