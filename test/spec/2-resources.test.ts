import { describe, expect, test } from "bun:test";
import { openapiDocument } from "../../src/http/openapi/document.ts";
import { DEFAULT_URLS } from "../harness/checks/openapi.ts";
import type { TestService } from "../harness/service/service.ts";
import { onEveryStore } from "../harness/service/stores.ts";

onEveryStore(({ backend, startService, setUp }) => {
  let service: TestService;
  setUp(async () => {
    service = await startService();
  });
  const create = (body: unknown) => service.call("POST /pets", { body });

  describe("2 Animal (Pet)", () => {
    test("2 Pet has id, name, categoryId and status, and nothing else", async () => {
      const { json } = await create({ name: "Rex", categoryId: 7, status: "pending" });
      expect(json).toEqual({ id: expect.any(Number), name: "Rex", categoryId: 7, status: "pending" });
    });

    test("2 Pet.id is an int64 that the service assigns in ascending order", async () => {
      const first = await create({ name: "A", categoryId: 1 });
      const second = await create({ name: "B", categoryId: 1 });
      expect(second.json.id).toBeGreaterThan(first.json.id);
    });

    test("2 Pet.name is returned exactly as sent", async () => {
      for (const name of [
        " Rex ",
        "日本語",
        "🐕‍🦺",
        "é",
        "é",
        '"\\/',
        "'; DROP TABLE animals; --",
        "<script>",
        "a b",
        "می\u200cخواهم",
        "\u200fרקס\u200e 2",
      ]) {
        const { json } = await create({ name, categoryId: 1 });
        expect(json.name).toBe(name);
        expect((await service.call(`GET /pets/${json.id}`)).json.name).toBe(name);
      }
    });

    test("2 an animal whose name would be refused today stays usable", async () => {
      const name = "\u200b\u202e";
      await backend.query(
        service.storage,
        `INSERT INTO animals (name, category_id, status) VALUES ('${name}', 815, 'available')`,
      );
      const [pet] = (await service.call("GET /pets?categoryId=815")).json;
      expect(pet).toEqual({ id: expect.any(Number), name, categoryId: 815, status: "available" });
      expect((await service.call(`GET /pets/${pet.id}`)).json).toEqual(pet);
      expect((await service.call("POST /store/orders", { body: { petId: pet.id } })).status).toBe(201);
    });

    test("2 Pet.categoryId is an int64, exact in body, store and reply", async () => {
      for (const categoryId of ["9223372036854775807", "-9223372036854775808", "9007199254740993", "0"]) {
        const { status, text } = await create(`{"name":"Rex","categoryId":${categoryId}}`);
        expect(status).toBe(201);
        expect(text).toContain(`"categoryId":${categoryId},`);
        const id = /"id":(\d+)/.exec(text)?.[1];
        expect((await service.call(`GET /pets/${id}`)).text).toBe(text);
      }
    });

    test("2 Pet.status is a PetStatus", async () => {
      for (const status of ["available", "pending", "sold"])
        expect((await create({ name: "Rex", categoryId: 1, status })).json.status).toBe(status);
    });
  });

  describe("2 NewPet", () => {
    test("2 NewPet.name is a required string", async () => {
      expect((await create({ categoryId: 1 })).json).toMatchObject({ code: "missing_field", status: 400 });
      for (const name of [1, null, true, [], {}, "", " ", "\t", "a\u0000b", "a\nb", "\u0085", "x".repeat(256)]) {
        const { json } = await create({ name, categoryId: 1 });
        expect(json).toMatchObject({ code: "invalid_value", status: 400, message: expect.stringContaining('"name"') });
      }
      expect((await create(String.raw`{"name":"a\ud800b","categoryId":1}`)).json.code).toBe("invalid_value");
    });

    test("2 NewPet.name has a visible character and no bidirectional controls, and the message names what is wrong", async () => {
      for (const [name, character] of [
        ["\u200b", "U+200B"],
        [" \u2060\u3000", "U+2060"],
        ["\u{e0041}\ufe0f", "U+E0041"],
        ["Rex\u202e", "U+202E"],
        ["\u2066Rex\u2069", "U+2066"],
      ])
        expect((await create({ name, categoryId: 1 })).json).toMatchObject({
          code: "invalid_value",
          status: 400,
          message: expect.stringContaining(character as string),
        });
    });

    test("2 NewPet.name has 1 to 255 code points", async () => {
      expect((await create({ name: "x", categoryId: 1 })).status).toBe(201);
      expect((await create({ name: "🐈".repeat(255), categoryId: 1 })).status).toBe(201);
      expect((await create({ name: "🐈".repeat(256), categoryId: 1 })).status).toBe(400);
    });

    test("2 NewPet.categoryId is a required int64", async () => {
      expect((await create({ name: "Rex" })).json).toMatchObject({ code: "missing_field", status: 400 });
      for (const categoryId of [
        '"1"',
        "1.5",
        "9223372036854775808",
        "-9223372036854775809",
        "1e400",
        "1e-1",
        "null",
        "true",
        "[]",
      ]) {
        const { json } = await create(`{"name":"Rex","categoryId":${categoryId}}`);
        expect(json).toMatchObject({
          code: "invalid_value",
          status: 400,
          message: expect.stringContaining('"categoryId"'),
        });
      }
    });

    test("2 NewPet.categoryId may be written with a fraction or an exponent as long as it is an integer", async () => {
      const written = { "1.0": 1, "1e3": 1000, "1E+2": 100, "-0": 0, "10e-1": 1, "0.5e1": 5, "0e999999999": 0 };
      for (const [text, value] of Object.entries(written))
        expect((await create(`{"name":"Rex","categoryId":${text}}`)).json.categoryId).toBe(value);
    });

    test("2 NewPet.status is optional, and available when it is omitted", async () => {
      const { json } = await create({ name: "Rex", categoryId: 1 });
      expect(json.status).toBe("available");
      expect((await service.call(`GET /pets/${json.id}`)).json.status).toBe("available");
      expect((await create({ name: "Rex", categoryId: 1, status: null })).json.message).toBe(
        '"status" must be one of available, pending, sold; it may be left out, but not be null.',
      );
      for (const status of ["", "Sold", "lost", 1])
        expect((await create({ name: "Rex", categoryId: 1, status })).json).toMatchObject({
          code: "invalid_value",
          message: '"status" must be one of available, pending, sold.',
        });
    });

    test("2 NewPet.id is never sent by the client", async () => {
      const { json } = await create({ id: 1, name: "Rex", categoryId: 1 });
      expect(json).toEqual({
        code: "unknown_field",
        message: '"id" is assigned by the service. Remove it.',
        status: 400,
      });
    });

    test("2 NewPet has no other fields", async () => {
      for (const field of ["tag", "__proto__", "constructor", "toString", "Name", "x".repeat(1000)]) {
        const { json } = await create(`{"name":"Rex","categoryId":1,${JSON.stringify(field)}:{}}`);
        expect(json.code).toBe("unknown_field");
        expect(json.message.length).toBeLessThan(200);
      }
    });

    test("2 all mistakes of a body stand in one message", async () => {
      const { json } = await create({ categoryId: "1", tag: 1 });
      expect(json.code).toBe("missing_field");
      for (const field of ['"name"', '"categoryId"', '"tag"']) expect(json.message).toContain(field);
    });
  });

  test("2 Pets is a JSON array of animals", async () => {
    const { json } = await service.call("GET /pets");
    expect(Array.isArray(json)).toBe(true);
    expect(Object.keys(json[0])).toEqual(["id", "name", "categoryId", "status"]);
  });

  test("2 Error has code (string), message (string) and status (integer), and nothing else", async () => {
    const { json, status } = await service.call("GET /pets/0");
    expect(json).toEqual({ code: "pet_not_found", message: expect.any(String), status: 404 });
    expect(status).toBe(404);
  });
});

test("2 PetStatus allows available, pending and sold", () => {
  const { components } = openapiDocument(DEFAULT_URLS) as { components: { schemas: { PetStatus: { enum: unknown } } } };
  expect(components.schemas.PetStatus.enum).toEqual(["available", "pending", "sold"]);
});
