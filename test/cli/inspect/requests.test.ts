import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { HOUR_MS } from "../../../src/base/time/clock.ts";
import { startOf } from "../../../src/domain/usage/grains.ts";
import { leastIdAt } from "../../../src/domain/usage/kept-request.ts";
import { newCounts } from "../../../src/domain/usage/usage.ts";
import { openForCommand } from "../../../src/store/open.ts";
import { setUp } from "../../harness/cleanup.ts";
import { temporaryFolder } from "../../harness/folder.ts";
import { operatorIn } from "../../harness/program/operator.ts";
import { EXECUTABLE } from "../../harness/program/program.ts";

const TIME = /\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ/g;
const MESSAGE = 'The field "\u202ex" is unknown.';

describe("requests", () => {
  const cwd = temporaryFolder();
  const { cli, json, issue, makeStore } = operatorIn(cwd);
  const hour = startOf("hour", Date.now()) - HOUR_MS;
  let [desk, silent] = ["", ""];
  let sequence = 0;

  async function add(atMs: number, status: number, code?: string, message?: string): Promise<void> {
    const store = await openForCommand({ kind: "sqlite", path: join(cwd, "data/animal-store.db") }, { create: false });
    const counts = newCounts();
    counts[status < 400 ? 0 : 1] = 10;
    await store.usage.add({
      source: "test",
      sequence: ++sequence,
      atMs,
      sums: [{ keyId: desk, startedAtMs: atMs, counts }],
      requests: [
        {
          id: leastIdAt(atMs) + BigInt(sequence),
          keyId: desk,
          method: "POST",
          path: "/v1/pets",
          status,
          code,
          message,
          requestId: `r${sequence}`,
          idempotencyKey: code && "k 1",
          latencyMs: 0.25,
        },
      ],
    });
    await store.close();
  }

  setUp(async () => {
    await makeStore();
    desk = (await issue("Front desk", "free")).id;
    silent = (await issue("Silent", "free")).id;
    await add(hour + 1_000, 201);
    await add(hour + 2_000, 400, "unknown_field", MESSAGE);
    await add(hour + 3_000, 404, "pet_not_found", "There is no such animal.");
    await add(hour + 4_000, 503, "service_unavailable", "Try again shortly.");
  }, 60_000);

  test("shows those of a key, the newest first, with what was wrong, and says how many were only counted", async () => {
    const { exitCode, out, err } = await cli("requests", "Front desk");
    expect(exitCode).toBe(0);
    expect(
      out
        .replaceAll(TIME, "TIME")
        .split("\n")
        .map((line) => line.trimEnd().replaceAll(/ {2,}/g, "  ")),
    ).toEqual([
      "TIME  STATUS  REQUEST  CODE  MESSAGE  REQUEST ID",
      "TIME  503  POST /v1/pets  service_unavailable  Try again shortly.  r4",
      "TIME  404  POST /v1/pets  pet_not_found  There is no such animal.  r3",
      'TIME  400  POST /v1/pets  unknown_field  The field "<U+202E>x" is unknown.  r2',
      "TIME  201  POST /v1/pets  r1",
      "",
    ]);
    expect(err.replaceAll(TIME, "TIME")).toBe(
      "Of this key's requests since TIME, 4 requests are kept, and 36 others only counted.\n",
    );
    const none = await cli("requests", silent);
    expect([none.exitCode, none.out]).toEqual([0, ""]);
    expect(none.err).toContain("No such requests are kept.");
  });

  test("filters by status, code and time, and shows all keys by name", async () => {
    const found = async (...options: string[]) =>
      (await json("requests", ...options)).map(({ status }: { status: number }) => status);
    const iso = (ms: number) => new Date(ms).toISOString();
    expect(await found()).toEqual([503, 404, 400, 201]);
    expect(await found(desk, "--status", "4xx")).toEqual([404, 400]);
    expect(await found(desk, "--status", "400")).toEqual([400]);
    expect(await found("--code", "pet_not_found")).toEqual([404]);
    expect(await found("--since", iso(hour + 2_000), "--until", iso(hour + 4_000))).toEqual([404, 400]);
    expect(await found("--limit", "2")).toEqual([503, 404]);
    expect((await cli("requests")).out).toContain("Front desk");
  });

  test("--json has every field, with null where there is nothing", async () => {
    const [, , refused, created] = await json("requests", desk);
    expect(refused).toEqual({
      id: Number(leastIdAt(hour + 2_000)) + 2,
      at: new Date(hour + 2_000).toISOString(),
      keyId: desk,
      method: "POST",
      path: "/v1/pets",
      status: 400,
      code: "unknown_field",
      message: MESSAGE,
      requestId: "r2",
      idempotencyKey: "k 1",
      latencyMs: 0.25,
    });
    expect(created).toMatchObject({ status: 201, code: null, message: null, idempotencyKey: null });
    expect(await json("requests", silent)).toEqual([]);
  });

  test("what cannot be meant is refused", async () => {
    for (const [options, said] of [
      [["--status", "4XX"], "Give a status such as 400, or a class such as 4xx."],
      [["--limit", "0"], "Give a number from 1 to 5000."],
      [["--limit", "5001"], "Give a number from 1 to 5000."],
      [["--since", "tomorrow"], "Give a date"],
      [["--since", "1h", "--until", "2h"], "--until must be later than --since"],
      [["--follow", "--until", "1h"], "--follow has no end: leave --until out"],
    ] as const) {
      const { exitCode, err } = await cli("requests", ...options);
      expect([options, exitCode]).toEqual([options, 2]);
      expect(err).toContain(said);
    }
    const unknown = await cli("requests", "Frontdesk");
    expect([unknown.exitCode, unknown.err]).toEqual([1, expect.stringContaining("Did you mean")]);
    const { out } = await cli("complete", "--", "requests", "--status", "4");
    expect(out.split("\n").filter((line) => /^4\d\d/.test(line)).length).toBeGreaterThan(2);
  });

  test("--follow goes on with what is stored, each once and the newest last, until Ctrl+C", async () => {
    const following = Bun.spawn([EXECUTABLE, "requests", "--follow", "--json", "--status", "4xx"], {
      cwd,
      stdout: "pipe",
      stderr: "pipe",
    });
    const codes: string[] = [];
    const reader = following.stdout.getReader();
    const decoder = new TextDecoder();
    const until = async (count: number): Promise<void> => {
      let rest = "";
      while (codes.length < count) {
        const { value, done } = await reader.read();
        if (done) break;
        rest += decoder.decode(value);
        const lines = rest.split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) codes.push(JSON.parse(line).code);
      }
    };
    await until(2);
    expect(codes).toEqual(["unknown_field", "pet_not_found"]);
    const nowMs = Date.now();
    await add(nowMs, 422, "idempotency_mismatch", "no");
    await add(nowMs + 1, 500, "internal_error", "no");
    await until(3);
    // Another thread stored this one later.
    await add(nowMs - 3_000, 403, "insufficient_scope", "no");
    await until(4);
    expect(codes.slice(2)).toEqual(["idempotency_mismatch", "insufficient_scope"]);
    following.kill("SIGINT");
    expect(await following.exited).toBe(0);
    expect(await new Response(following.stderr).text()).toBe("");
  }, 60_000);
});
