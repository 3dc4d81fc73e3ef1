import { expect, test } from "bun:test";
import { onEveryStore } from "./stores.ts";

onEveryStore(({ startService, backend }) => {
  test("a service keeps its animals and counters in the databases it was given, and nowhere else", async () => {
    const service = await startService();
    await service.call("POST /pets", { body: { name: "Rex", categoryId: 7 } });
    expect(await backend.query(service.storage, "SELECT name FROM animals")).toMatchObject([{ name: "Rex" }]);
    const contents = await backend.contents(service.storage);
    expect(contents).toContain("Rex");
    expect(contents.includes("animal-store:{")).toBe(service.storage.REDIS_URL !== undefined);
    expect(service.path === "").toBe(service.storage.REDIS_URL !== undefined);
    const other = await startService();
    expect((await other.call("GET /pets")).json).toEqual([]);
    expect(other.storage).not.toEqual(service.storage);
    await service.stop();
    const again = await startService({ env: service.storage });
    expect((await again.call("GET /pets")).json).toHaveLength(1);
  });
});
