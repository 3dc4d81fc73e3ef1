import { describe, expect, test } from "bun:test";
import { categoryCalls } from "../harness/requests/categories.ts";
import type { Answer } from "../harness/requests/send.ts";
import type { TestService } from "../harness/service/service.ts";
import { onEveryStore } from "../harness/service/stores.ts";

onEveryStore(({ startService, setUp }) => {
  let service: TestService;
  setUp(async () => {
    service = await startService();
  });

  const { put, get, remove } = categoryCalls(() => service);
  const outcome = ({ status, json }: Answer) => [status, json?.code ?? json?.name];
  const tagOf = ({ headers }: Answer): string => headers.get("etag") as string;

  describe("4.4 retries", () => {
    const once = (key: string) => ({ "Idempotency-Key": key });
    const replayed = ({ headers }: Answer) => headers.get("idempotency-replayed");

    test("4.4 a retried naming gets its first answer, 201 too, even after the category was renamed or removed", async () => {
      const first = await put(600, "Retried", once("name-600"));
      expect([first.status, replayed(first)]).toEqual([201, null]);
      await put(600, "Renamed");
      await put(601, "Retried");
      for (const change of [() => undefined, () => remove(600)]) {
        await change();
        const again = await put(600, "Retried", once("name-600"));
        expect([again.status, again.text, replayed(again), tagOf(again)]).toEqual([
          201,
          first.text,
          "true",
          tagOf(first),
        ]);
      }
      expect((await get(600)).status).toBe(404);
      expect((await put(601, "Retried", once("same-601"))).status).toBe(200);
      const again = await put(601, "Retried", once("same-601"));
      expect([again.status, replayed(again)]).toEqual([200, "true"]);
    });

    test("4.4 a retried removal gets its 204 again instead of 404, even if the category has a name again", async () => {
      await put(610, "Short-lived");
      expect((await remove(610, once("remove-610"))).status).toBe(204);
      await put(610, "Another");
      const again = await remove(610, once("remove-610"));
      expect([again.status, again.text, replayed(again)]).toEqual([204, "", "true"]);
      expect((await get(610)).json.name).toBe("Another");
    });

    test("4.4 a refusal is not saved: the retry is carried out", async () => {
      await put(620, "Occupied");
      expect((await put(621, "Occupied", once("name-621"))).status).toBe(409);
      await remove(620);
      expect((await put(621, "Occupied", once("name-621"))).status).toBe(201);
      expect((await remove(622, once("remove-622"))).status).toBe(404);
      await put(622, "Late");
      expect((await remove(622, once("remove-622"))).status).toBe(204);
    });

    test("4.4 an Idempotency-Key is for one request: another name, id or operation answers 422", async () => {
      await put(630, "Keyed", once("key-630"));
      for (const answer of [
        await put(630, "Other", once("key-630")),
        await put(631, "Keyed", once("key-630")),
        await remove(630, once("key-630")),
      ])
        expect(answer.json).toMatchObject({ code: "idempotency_mismatch", status: 422 });
      expect((await put(630, "Keyed", once("a,b"))).json.code).toBe("invalid_parameter");
    });

    test("4.4 copies of one request that arrive together are carried out once", async () => {
      const answers = await Promise.all(Array.from({ length: 20 }, () => put(640, "Copied", once("key-640"))));
      expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(201));
      expect(answers.filter((answer) => replayed(answer) === null)).toHaveLength(1);
    });
  });

  describe("4.4 conditions", () => {
    test("4.4 If-Match lets a change through only if the category is what was read, and otherwise answers 412", async () => {
      const old = tagOf(await put(700, "Conditional"));
      expect(tagOf(await get(700))).toBe(old);
      const renamed = await put(700, "Conditioned", { "If-Match": `"other", ${old}` });
      expect(renamed.status).toBe(200);
      expect(tagOf(renamed)).not.toBe(old);
      for (const ifMatch of [old, '"other"', `W/${tagOf(renamed)}`]) {
        expect(outcome(await put(700, "Lost update", { "If-Match": ifMatch }))).toEqual([412, "precondition_failed"]);
        expect(outcome(await remove(700, { "If-Match": ifMatch }))).toEqual([412, "precondition_failed"]);
      }
      expect((await get(700)).json.name).toBe("Conditioned");
      expect((await put(700, "Conditional", { "If-Match": "*" })).status).toBe(200);
      expect((await remove(700, { "If-Match": old })).status).toBe(204);
      expect((await put(700, "x", { "If-Match": "nonsense" })).json.code).toBe("invalid_parameter");
    });

    test("4.4 If-Match on a category without a name answers 412 to putCategory, and 404 to deleteCategory", async () => {
      for (const ifMatch of ["*", '"any"', 'W/"any"']) {
        const answer = await put(710, "Absent", { "If-Match": ifMatch });
        expect(outcome(answer)).toEqual([412, "precondition_failed"]);
        expect(answer.json.message).toContain(
          "has no name yet, so there is nothing for If-Match to match. Leave If-Match out",
        );
        expect(outcome(await remove(710, { "If-Match": ifMatch }))).toEqual([404, "category_not_found"]);
        expect((await get(710, { "If-Match": ifMatch })).status).toBe(404);
      }
    });

    test("4.4 If-None-Match: * names only a category that has no name, of 20 at once only one", async () => {
      const anew = { "If-None-Match": "*" };
      const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => put(720, `First ${i}`, anew)));
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
      expect(answers.filter(({ json }) => json.code === "precondition_failed")).toHaveLength(19);
      expect((await put(720, "Second", anew)).json.message).toContain("has a name already");
      expect((await put(721, "Both", { ...anew, "If-Match": "*" })).json).toMatchObject({
        code: "invalid_parameter",
        message: expect.stringContaining("both If-Match and If-None-Match. Send one of them"),
      });
      for (const other of ['"abc"', "", "**"])
        expect((await put(721, "Other", { "If-None-Match": other })).json).toMatchObject({
          code: "invalid_parameter",
          message: expect.stringContaining("If-None-Match"),
        });
      expect((await get(721)).status).toBe(404);
    });

    test("4.4 If-None-Match with the tag of a category or of a list answers 304 to a read", async () => {
      await put(730, "Known");
      for (const target of ["/categories/730", "/categories?name=known"]) {
        const headers = { "If-None-Match": tagOf(await service.call(`GET ${target}`)) };
        expect((await service.call(`GET ${target}`, { headers })).status).toBe(304);
        await put(730, "Knowns");
        expect((await service.call(`GET ${target}`, { headers })).status).toBe(200);
        await put(730, "Known");
      }
    });
  });
});
