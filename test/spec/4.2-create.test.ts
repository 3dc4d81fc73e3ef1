import { describe, expect, test } from "bun:test";
import { RawConnection } from "../harness/requests/raw.ts";
import type { TestService } from "../harness/service/service.ts";
import { onEveryStore } from "../harness/service/stores.ts";

onEveryStore(({ startService, setUp }) => {
  let service: TestService;
  /** Waits for bodies only briefly. */
  let impatient: TestService;
  setUp(async () => {
    service = await startService();
    impatient = await startService({ bodyTimeoutMs: 100 });
  });
  const REX = { name: "Rex", categoryId: 7 };

  const rawHead = (...lines: string[]): string => rawHeadFor(service, ...lines);

  const rawHeadFor = ({ boundless }: TestService, ...lines: string[]): string =>
    [
      "POST /v1/pets HTTP/1.1",
      "Host: test",
      `Authorization: Bearer ${boundless}`,
      "Content-Type: application/json",
      ...lines,
      "",
      "",
    ].join("\r\n");

  const bodyOf = (answer: string) => JSON.parse(answer.slice(answer.indexOf("\r\n\r\n") + 4));

  test("4.2 createPet is POST /pets", async () => {
    expect((await service.call("POST /pets", { body: REX })).status).toBe(201);
  });

  describe("4.2 the request body is required, application/json, of the shape NewPet", () => {
    test("4.2 another content type answers 415 unsupported_media_type", async () => {
      for (const type of [
        "text/plain",
        "application/xml",
        "application/jsonp",
        "text/json",
        "application/json; charset=latin1",
        "multipart/form-data",
        "",
      ]) {
        const { json } = await service.call("POST /pets", {
          body: JSON.stringify(REX),
          headers: { "Content-Type": type },
        });
        expect(json).toMatchObject({ code: "unsupported_media_type", status: 415 });
      }
    });

    test("4.2 application/json may say that it is UTF-8", async () => {
      for (const type of [
        "application/json; charset=utf-8",
        "Application/JSON;charset=UTF-8",
        'application/json; charset="utf-8"',
      ])
        expect((await service.call("POST /pets", { body: REX, headers: { "Content-Type": type } })).status).toBe(201);
    });

    test("4.2 a missing body answers 400 invalid_json, or 415 if no type is declared either", async () => {
      expect((await service.call("POST /pets", { body: "" })).json.code).toBe("invalid_json");
      expect((await service.call("POST /pets")).json).toMatchObject({
        code: "unsupported_media_type",
        message: expect.stringContaining("The request has no body."),
      });
      const untyped = { body: JSON.stringify(REX), headers: { "Content-Type": "" } };
      expect((await service.call("POST /pets", untyped)).json.message).toContain("The body must be JSON.");
    });

    test("4.2 what is not JSON answers 400 invalid_json", async () => {
      for (const body of [
        "{",
        "{'name':'Rex'}",
        '{"name":"Rex","categoryId":01}',
        "NaN",
        '{"name":"Rex","categoryId":1}x',
        '{"name":"Rex',
        "[".repeat(60),
      ])
        expect((await service.call("POST /pets", { body })).json).toEqual({
          code: "invalid_json",
          message: "The body is not valid JSON. Send one JSON object.",
          status: 400,
        });
    });

    test("4.2 a body of more than 64 values answers 400 invalid_json, whatever they are", async () => {
      const members = (count: number) => Array.from({ length: count }, (_, i) => `"f${i}":1.0`).join();
      for (const body of [
        "[".repeat(8_000) + "]".repeat(8_000),
        "[".repeat(16_000),
        `{"a":[${'{"b":1.0},'.repeat(1_000)}1]}`,
        `[${"1,".repeat(64)}1]`,
        `{${members(64)}}`,
        `{${'"name":"Rex",'.repeat(100)}"categoryId":1}`,
      ])
        expect((await service.call("POST /pets", { body })).json).toEqual({
          code: "invalid_json",
          message: "The body has more than 64 values. Send one flat JSON object.",
          status: 400,
        });
      expect((await service.call("POST /pets", { body: `{${members(62)}}` })).json.code).toBe("missing_field");
    });

    test("4.2 a field that occurs twice answers 400 invalid_json and is named", async () => {
      for (const body of [
        '{"name":"A","categoryId":1,"name":"B"}',
        String.raw`{"name":"A","categoryId":1,"na\u006de":"B"}`,
      ])
        expect((await service.call("POST /pets", { body })).json).toEqual({
          code: "invalid_json",
          message: 'The body contains "name" more than once. Send it once.',
          status: 400,
        });
      expect((await service.call("POST /pets", { body: '{"name":"\\"name\\":","categoryId":1}' })).status).toBe(201);
    });

    test("4.2 JSON that is no object answers 400 invalid_value", async () => {
      for (const body of ["[]", "null", "1", '"Rex"', "true"])
        expect((await service.call("POST /pets", { body })).json).toMatchObject({
          code: "invalid_value",
          message: "The body must be a JSON object.",
        });
    });

    test("4.2 bytes that are no UTF-8 answer 400 invalid_json", async () => {
      const connection = await RawConnection.open(service.origin);
      const body = Buffer.concat([
        Buffer.from('{"name":"'),
        Buffer.from([0xff, 0xfe]),
        Buffer.from('","categoryId":1}'),
      ]);
      connection.send(rawHead(`Content-Length: ${body.length}`));
      connection.send(body);
      expect(bodyOf(await connection.answer())).toMatchObject({ code: "invalid_json", status: 400 });
      connection.destroy();
    });

    test("4.2 a body over 16 KiB answers 413 payload_too_large, whatever its size", async () => {
      const fits = JSON.stringify(REX).padEnd(16 * 1024, " ");
      expect((await service.call("POST /pets", { body: fits })).status).toBe(201);
      for (const body of [`${fits} `, "x".repeat(3_000_000)])
        expect((await service.call("POST /pets", { body })).json).toMatchObject({
          code: "payload_too_large",
          status: 413,
        });
    });

    test("4.2 a chunked body is counted too", async () => {
      const chunked = (size: number) => {
        const text = JSON.stringify(REX).padEnd(size, " ");
        return new ReadableStream({
          start(controller) {
            for (let at = 0; at < text.length; at += 1_000) controller.enqueue(Buffer.from(text.slice(at, at + 1_000)));
            controller.close();
          },
        });
      };
      const post = (size: number) =>
        fetch(`${service.origin}/v1/pets`, {
          method: "POST",
          headers: { Authorization: `Bearer ${service.boundless}`, "Content-Type": "application/json" },
          body: chunked(size),
        });
      expect((await post(16_000)).status).toBe(201);
      expect((await post(17_000)).status).toBe(413);
    });

    test("4.2 a body that does not arrive in time answers 408 request_timeout", async () => {
      const connection = await RawConnection.open(impatient.origin);
      connection.send(rawHeadFor(impatient, "Content-Length: 30"));
      connection.send('{"name":');
      const answer = await connection.answer();
      expect(answer).toStartWith("HTTP/1.1 408");
      expect(bodyOf(answer)).toMatchObject({ code: "request_timeout", status: 408 });
      connection.destroy();
    });

    test("4.2 a client that goes away in the middle of a body changes nothing", async () => {
      const before = (await service.call("GET /pets?limit=100")).json.length;
      const connection = await RawConnection.open(service.origin);
      connection.send(rawHead("Content-Length: 30"));
      connection.send('{"name":"Gone","categoryId":1');
      connection.destroy();
      expect((await service.call("GET /pets?limit=100")).json).toHaveLength(before);
    });

    test("4.2 a query parameter answers 400 invalid_parameter, and nothing is created", async () => {
      const before = (await service.call("GET /pets?limit=100")).json.length;
      expect((await service.call("POST /pets?status=sold", { body: REX })).json.code).toBe("invalid_parameter");
      expect((await service.call("GET /pets?limit=100")).json).toHaveLength(before);
    });

    test("4.2 type comes before size, size before JSON, JSON before values", async () => {
      const large = "x".repeat(70_000);
      expect(
        (await service.call("POST /pets?x=1", { body: large, headers: { "Content-Type": "text/plain" } })).status,
      ).toBe(415);
      expect((await service.call("POST /pets?x=1", { body: large })).status).toBe(413);
      expect((await service.call("POST /pets", { body: '{"tag":1' })).json.code).toBe("invalid_json");
    });
  });

  test("4.2 201: the animal with its assigned id, and where it is", async () => {
    const { status, json, headers } = await service.call("POST /pets", { body: REX });
    expect(status).toBe(201);
    expect(json).toEqual({ id: expect.any(Number), ...REX, status: "available" });
    expect(headers.get("location")).toBe(`${service.publicUrl}/pets/${json.id}`);
  });

  test("4.2 400: required fields are missing or values invalid, and nothing is created", async () => {
    const fresh = await startService();
    for (const body of [
      {},
      { name: "Rex" },
      { categoryId: 1 },
      { name: "", categoryId: 1 },
      { name: "Rex", categoryId: 0.5 },
    ])
      expect((await fresh.call("POST /pets", { body })).status).toBe(400);
    expect((await fresh.call("GET /pets")).json).toEqual([]);
  });

  test("4.2 401: the credential is missing or invalid, before the body is looked at", async () => {
    expect((await service.call("POST /pets", { body: "{", secret: null })).json.code).toBe("missing_api_key");
    expect((await service.call("POST /pets", { body: "x".repeat(70_000), secret: "wrong" })).json.code).toBe(
      "invalid_api_key",
    );
  });

  test("4.2 parallel creations each get an id of their own", async () => {
    const answers = await Promise.all(
      range(100).map((i) => service.call("POST /pets", { body: { name: `P${i}`, categoryId: i } })),
    );
    expect(new Set(answers.map((answer) => answer.json.id)).size).toBe(100);
    for (const [i, { status, json }] of answers.entries())
      expect({ status, name: json.name }).toEqual({ status: 201, name: `P${i}` });
  });

  const range = (length: number): number[] => Array.from({ length }, (_, i) => i);
});
