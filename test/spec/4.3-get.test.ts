import { expect, test } from "bun:test";
import type { TestService } from "../harness/service/service.ts";
import { onEveryStore } from "../harness/service/stores.ts";
import { FakeClock } from "../harness/time/clock.ts";

onEveryStore(({ startService, setUp }) => {
  let service: TestService;
  let rex: { id: number };
  setUp(async () => {
    service = await startService();
    rex = (await service.call("POST /pets", { body: { name: "Rex", categoryId: 7 } })).json;
  });

  test("4.3 getPet is GET /pets/{petId}", async () => {
    expect((await service.call(`GET /pets/${rex.id}`)).status).toBe(200);
  });

  test("4.3 deprecated: every answer says since when, until when, why and what instead", async () => {
    const free = await service.issueKey({ plan: "enterprise", quotas: { perMinute: 1, perDay: 10 } });
    const answers = [
      await service.call(`GET /pets/${rex.id}`),
      await service.call(`HEAD /pets/${rex.id}`),
      await service.call("GET /pets/999"),
      await service.call("GET /pets/1?x=1"),
      await service.call("GET /pets/1", { secret: null }),
      await service.call("GET /pets/1", { secret: free.secret }),
      await service.call("GET /pets/1", { secret: free.secret }),
    ];
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 404, 400, 401, 200, 429]);
    for (const { headers } of answers) {
      expect(headers.get("deprecation")).toBe("@1794700800");
      expect(headers.get("sunset")).toBe("Thu, 05 Dec 2030 00:00:00 GMT");
      expect(headers.get("link")).toBe(
        `<${service.origin}/docs>; rel="deprecation"; type="text/html", <${service.publicUrl}/pets>; rel="successor-version"`,
      );
    }
  });

  test("4.3 other operations are not deprecated", async () => {
    for (const answer of [
      await service.call("GET /pets"),
      await service.call("PUT /pets/1"),
      await service.call("GET /pets/1/x"),
    ])
      expect(answer.headers.get("deprecation")).toBeNull();
  });

  test("4.3 petId is an int64; what is no canonical one answers 404", async () => {
    const odd = [
      "0",
      "-1",
      "abc",
      "01",
      "+1",
      "1.0",
      "1e0",
      "%20",
      "1%20",
      "-0",
      "9223372036854775807",
      "9223372036854775808",
      "-9223372036854775808",
      "9".repeat(300),
      "%00",
      "%FF",
      "null",
    ];
    for (const petId of odd) {
      const { json } = await service.call(`GET /pets/${petId}`);
      expect(json).toMatchObject({ code: "pet_not_found", status: 404 });
    }
    for (const path of ["/pets/", "/pets/1/", "/pets/1/2"])
      expect((await service.call(`GET ${path}`)).json.code).toBe("not_found");
  });

  test("4.3 200: the animal", async () => {
    const { status, json } = await service.call(`GET /pets/${rex.id}`);
    expect(status).toBe(200);
    expect(json).toEqual(rex);
  });

  test("4.3 401: the credential is missing or invalid", async () => {
    expect((await service.call("GET /pets/1", { secret: null })).status).toBe(401);
    expect((await service.call("GET /pets/1", { secret: "wrong" })).status).toBe(401);
  });

  test("4.3 404: no animal with that identifier", async () => {
    expect((await service.call("GET /pets/4711")).json).toMatchObject({ code: "pet_not_found", status: 404 });
  });

  test("4.3 removed on 5 December 2030: 410 operation_removed from that moment on", async () => {
    const clock = new FakeClock();
    const later = await startService({ clock });
    const { json } = await later.call("POST /pets", { body: { name: "Rex", categoryId: 7 } });
    clock.set("2030-12-04T23:59:59.999Z");
    expect((await later.call(`GET /pets/${json.id}`)).status).toBe(200);
    clock.set("2030-12-05T00:00:00Z");
    for (const petId of [json.id, "abc", "4711"])
      expect((await later.call(`GET /pets/${petId}`)).json).toMatchObject({ code: "operation_removed", status: 410 });
    expect((await later.call("GET /pets/1", { secret: null })).status).toBe(401);
    expect((await later.call("GET /pets")).json).toEqual([json]);
  });

  test("4.3 the replacement is GET /pets with the status filter", async () => {
    const { json } = await service.call("GET /pets?status=available");
    expect(json).toContainEqual(rex);
  });
});
