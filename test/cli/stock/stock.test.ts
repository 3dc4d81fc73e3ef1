import { describe, expect, test } from "bun:test";
import type { OrderRecord } from "../../../src/domain/stock/order-history.ts";
import { temporaryFolder } from "../../harness/folder.ts";
import { operatorIn } from "../../harness/program/operator.ts";
import { EXECUTABLE, runInTerminal, serve } from "../../harness/program/program.ts";
import type { StorageSettings, TestService } from "../../harness/service/service.ts";
import { onEveryStore } from "../../harness/service/stores.ts";

/** The largest id, which a JavaScript number cannot represent. */
const LARGEST = "9223372036854775807";

onEveryStore(({ startService, setUp }) => {
  describe("animals, orders and categories by command, beside a running service", () => {
    let service: TestService;
    let env: StorageSettings & Record<string, string>;
    const cwd = temporaryFolder();
    const operator = () => operatorIn(cwd, env);
    const cli = (...args: string[]) => operator().cli(...args);
    const json = (...args: string[]) => operator().json(...args);

    setUp(async () => {
      service = await startService();
      env = { ...service.storage, OPERATOR: "Anna" };
      const add = (name: string, categoryId: string) =>
        service.call("POST /pets", { body: `{"name":${JSON.stringify(name)},"categoryId":${categoryId}}` });
      for (const name of ["Rex", "Rexi", "Max", "<b>\u202fMaus"]) expect((await add(name, "7")).status).toBe(201);
      expect((await add("Zoë", LARGEST)).status).toBe(201);
    });

    test("categories put names one, list finds it, delete removes the name; the journal and the API agree", async () => {
      expect(await cli("categories", "list")).toEqual({
        exitCode: 0,
        out: "",
        err: "No category has a name yet. To name one: animal-store categories put\n",
      });
      expect((await cli("categories", "put", "7", "Dogs")).out).toBe('Category 7 is called "Dogs".\n');
      expect((await cli("categories", "put", "7", "Hounds")).out).toBe('Category 7 is now called "Hounds".\n');
      expect(await json("categories", "put", LARGEST, "Last")).toMatchObject({ name: "Last", isNew: true });
      expect((await cli("categories", "put", "-5", "Below", "--json")).out).toContain('"id": -5,');
      expect((await cli("categories", "list", "--json")).out).toContain(`"id": ${LARGEST},`);
      expect((await json("categories", "list", "--name", "HO")).map(({ name }: { name: string }) => name)).toEqual([
        "Hounds",
      ]);
      expect((await service.call("GET /categories/7")).json).toMatchObject({ name: "Hounds" });
      expect(await cli("categories", "put", "8", "hounds")).toEqual({
        exitCode: 1,
        out: "",
        err: expect.stringContaining("category 8 was not named. Category 7 has this name already"),
      });
      expect((await cli("categories", "delete", "-5")).out).toBe('Category -5 is no longer called "Below".\n');
      expect(await cli("categories", "delete", "-5")).toMatchObject({
        exitCode: 1,
        err: expect.stringContaining("category -5 has no name"),
      });
      const journal = await json("journal", "--limit", "3");
      expect(journal).toMatchObject([
        { by: "Anna", via: "command", action: "categories name", subject: { id: LARGEST }, after: { name: "Last" } },
        { action: "categories name", subject: { id: "-5" } },
        { action: "categories unname", before: { name: "Below" } },
      ]);
    });

    test("animals list shows the newest first, with the names of their categories, filtered and limited", async () => {
      const names = async (...options: string[]) =>
        (await json("animals", "list", ...options)).map(({ name }: { name: string }) => name);
      expect(await names()).toEqual(["Zoë", "<b>\u202fMaus", "Max", "Rexi", "Rex"]);
      expect(await names("--category", LARGEST)).toEqual(["Zoë"]);
      expect(await names("--name", "REX")).toEqual(["Rex", "Rexi"]);
      expect(await names("--name", "rex", "--status", "sold")).toEqual([]);
      const { out, err } = await cli("animals", "list", "--limit", "2");
      expect(out.split("\n")[0]).toMatch(/^ *ID {2}NAME +STATUS +CATEGORY {2}CALLED$/);
      expect(out).toMatch(new RegExp(`Zoë +available +${LARGEST} {2}Last\n`));
      expect([out.trimEnd().split("\n").length, err]).toEqual([
        3,
        "There are more than these 2: give --limit to see them.\n",
      ]);
      expect(await cli("animals", "list", "--status", "sold")).toEqual({
        exitCode: 0,
        out: "",
        err: "There are no such animals.\n",
      });
      expect((await cli("animals", "list", "--category", LARGEST, "--json")).out).toContain(`"categoryId": ${LARGEST}`);
    });

    test("orders are listed, shown and moved; what is final is asked for, and the animal follows", async () => {
      expect((await cli("orders", "list")).err).toBe("There are no orders yet. The API places them.\n");
      const [maus, max, rexi, rex] = (await json("animals", "list")).slice(1);
      const place = async ({ id }: { id: number }, reference?: string) =>
        (await service.call("POST /store/orders", { body: { petId: id, reference } })).json as { id: number };
      const [one, two, three] = [await place(rex, "INV-1"), await place(rexi), await place(max)];
      expect((await json("orders", "list")).map(({ id }: { id: number }) => id)).toEqual([three.id, two.id, one.id]);
      expect(await json("orders", "list", "--reference", "INV-1")).toMatchObject([
        { id: one.id, petId: rex.id, petName: "Rex", status: "placed", reference: "INV-1" },
      ]);
      expect(await json("orders", "list", "--animal", String(rexi.id), "--status", "placed")).toHaveLength(1);
      expect((await cli("orders", "move", String(one.id), "approved")).out).toBe(`Order ${one.id} is now approved.\n`);
      expect(await cli("orders", "move", String(one.id), "delivered")).toMatchObject({
        exitCode: 2,
        out: "",
        err: expect.stringContaining("give --yes"),
      });
      const { placedBy } = (await service.withStore(async ({ orders }) =>
        orders.getRecord(BigInt(one.id)),
      )) as OrderRecord;
      const keyId = placedBy as string;
      const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
      const { name: keyName } = await json("keys", "show", keyId);
      const approved = await json("orders", "show", String(one.id));
      expect(structuredClone(approved)).toMatchObject({
        status: "approved",
        canBecome: ["delivered", "cancelled"],
        steps: [
          { status: "placed", at, by: { kind: "key", id: keyId, name: keyName } },
          { status: "approved", at, by: { kind: "person", by: "Anna", via: "command", role: null } },
        ],
      });
      const readable = (time: string) => time.replace("T", " ");
      const [placing, approval] = approved.steps;
      expect((await cli("orders", "show", String(one.id))).out).toContain(
        `  history     placed ${readable(placing.at)} by the key ${keyName} (${keyId})\n` +
          `              approved ${readable(approval.at)} by Anna (command line)\n`,
      );
      expect(await json("orders", "move", String(one.id), "delivered", "--yes")).toMatchObject({ status: "delivered" });
      await cli("orders", "move", String(two.id), "cancelled", "--yes");
      expect((await service.call("GET /pets?status=sold")).json).toMatchObject([{ name: "Rex" }]);
      expect((await service.call(`GET /pets/${rexi.id}`)).json).toMatchObject({ status: "available" });
      expect(await cli("orders", "move", String(one.id), "approved")).toEqual({
        exitCode: 1,
        out: "",
        err: `animal-store: order ${one.id} was not moved. This order is delivered and cannot become approved. A delivered order can no longer change.\n`,
      });
      expect(await json("journal", "--limit", "2")).toMatchObject([
        { action: "orders update", by: "Anna", subject: { id: String(one.id) }, after: { status: "delivered" } },
        { action: "orders update", subject: { id: String(two.id) }, after: { status: "cancelled" } },
      ]);
      const { out } = await cli("animals", "show", String(rex.id));
      expect(out).toMatch(/name +Rex\n/);
      expect(out).toMatch(/category +7 \(Hounds\)\n/);
      expect(out).toMatch(new RegExp(`orders +${one.id}, delivered, placed \\d{4}-`));
      expect(await json("animals", "show", String(maus.id))).toMatchObject({ categoryName: "Hounds", orders: [] });
    });

    test("a question on a terminal is answered by the operator, and no is an answer", async () => {
      const [max] = await json("animals", "list", "--name", "max");
      const [order] = await json("orders", "list", "--animal", String(max.id));
      const move = (typed: string) =>
        runInTerminal(["orders", "move", String(order.id), "cancelled"], { cwd, env, columns: 100, typed });
      const declined = await move("n\n");
      expect(declined.exitCode).toBe(1);
      expect(declined.out).toContain(`Order ${order.id} will be cancelled, which is final.`);
      expect((await json("orders", "show", String(order.id))).status).toBe("placed");
      expect((await move("y\n")).exitCode).toBe(0);
      expect((await json("orders", "show", String(order.id))).status).toBe("cancelled");
    });

    test.each([
      [["animals", "show", "9999"], 1, "there is no animal 9999"],
      [["orders", "show", "9999"], 1, "there is no order 9999"],
      [["orders", "move", "9999", "approved"], 1, "there is no order 9999"],
      [["animals", "show", "9223372036854775808"], 2, "The id of an animal is a whole number of 64 bits."],
      [["orders", "show", "1.0"], 2, "The id of an order is a whole number of 64 bits."],
      [["orders", "move", "1", "lost"], 2, "Allowed choices are placed, approved, delivered, cancelled."],
      [["animals", "list", "--limit", "0"], 2, "Give a whole number from 1 to 1,000,000."],
      [
        ["animals", "list", "--name", "a", "--category", "1"],
        2,
        "'--name' cannot be used with option '--category <id>'",
      ],
      [
        ["orders", "list", "--reference", "a", "--animal", "1"],
        2,
        "'--reference' cannot be used with option '--animal",
      ],
      [["orders", "list", "--status", "sold"], 2, "The statuses are placed, approved, delivered, cancelled."],
      [["categories", "put", "1", " "], 2, "A name must not be empty or blank."],
      [["categories", "put", "1", "a\u001b[2J"], 2, "A name must not contain control characters such as U+001B."],
      [["categories", "put", "x", "Dogs"], 2, "The id of a category is a whole number of 64 bits."],
    ] as const)("%j is refused, and changes nothing", async (args, exitCode, message) => {
      const before = (await cli("journal", "--json")).out;
      const outcome = await cli(...args);
      expect([outcome.exitCode, outcome.out]).toEqual([exitCode, ""]);
      expect(outcome.err).toContain(message);
      expect((await cli("journal", "--json")).out).toBe(before);
    });
  });
});

test("colours say what the text says, on a terminal that has them, unless NO_COLOR asks for none", async () => {
  const cwd = temporaryFolder();
  const operator = operatorIn(cwd);
  await operator.makeStore();
  await operator.issue("Till", "free");
  const shown = async (env: Record<string, string>, ...args: string[]) =>
    (await runInTerminal(args, { cwd, env, columns: 120 })).out;
  const coloured = await shown({ TERM: "xterm" }, "keys", "list");
  expect(coloured).toContain("\u001b[32mactive\u001b[0m");
  const plain = await shown({ TERM: "xterm", NO_COLOR: "1" }, "keys", "list");
  expect(plain).not.toContain("\u001b");
  expect(Bun.stripANSI(coloured)).toBe(plain);
  expect(await shown({ TERM: "dumb" }, "keys", "list")).toBe(plain);
  expect((await operatorIn(cwd, { TERM: "xterm" }).cli("keys", "list")).out).not.toContain("\u001b");
  expect(await shown({ TERM: "xterm" }, "keys", "--help")).toContain("\u001b[1mCommands:\u001b[0m");
});

test("top shows the busiest keys and why requests are refused: once in a pipe, and again and again on a terminal", async () => {
  const cwd = temporaryFolder();
  const operator = operatorIn(cwd);
  await operator.makeStore();
  const nobody = await operator.cli("top");
  expect(nobody).toMatchObject({ exitCode: 0, out: expect.stringContaining("No key was used."), err: "" });
  const quiet = await operator.issue("Quiet", "free");
  const busy = await operator.issue("Busy one", "free", "--scopes", "orders:read");
  const service = await serve({ cwd });
  const call = (secret: string) =>
    fetch(`${service.origin}/v1/pets`, { headers: { Authorization: `Bearer ${secret}` } });
  for (let i = 0; i < 3; i++) expect((await call(quiet.secret)).status).toBe(200);
  for (let i = 0; i < 2; i++) expect((await call(busy.secret)).status).toBe(403);
  await service.kill("SIGTERM");
  const { out } = await operator.cli("top");
  expect(out).toMatch(
    /^\S+ \S+ {2}In 10 minutes: 5 requests, 0 client errors, 2 refused, 0 failed\nRefused: 2 scope missing\n/,
  );
  const names = async (...options: string[]) =>
    (await operator.json("top", ...options)).keys.map(({ name }: { name: string }) => name);
  expect(await names()).toEqual(["Quiet", "Busy one"]);
  expect(await names("--by", "refused")).toEqual(["Busy one", "Quiet"]);
  let drawn = "";
  const twice = Promise.withResolvers<void>();
  const child = Bun.spawn([EXECUTABLE, "top"], {
    cwd,
    env: { PATH: process.env.PATH ?? "", HOME: cwd, TERM: "xterm" },
    terminal: {
      cols: 60,
      rows: 6,
      data: (_, bytes) => {
        drawn += Buffer.from(bytes).toString();
        if (drawn.split("\u001b[H").length > 2 && drawn.endsWith("\u001b[J")) twice.resolve();
      },
    },
  });
  await Promise.race([twice.promise, child.exited]);
  child.kill("SIGINT");
  expect(await child.exited).not.toBe(0);
  child.terminal?.close();
  const [, first = "", second = ""] = drawn.split("\u001b[H");
  for (const screen of [first, second]) {
    expect(screen).toContain("Quiet");
    // No more than the terminal has, so that nothing is scrolled away.
    expect(screen.split("\n").length).toBeLessThanOrEqual(6);
  }
});

test("version needs no settings and no database", async () => {
  const { version } = (await Bun.file(new URL("../../../package.json", import.meta.url)).json()) as { version: string };
  const operator = operatorIn(temporaryFolder(), { PORT: "nonsense" });
  expect(await operator.json("version")).toEqual({
    version,
    bun: Bun.version,
    platform: `${process.platform}-${process.arch}`,
  });
  expect((await operator.cli("version")).out).toStartWith(`animal-store ${version} (Bun `);
});
