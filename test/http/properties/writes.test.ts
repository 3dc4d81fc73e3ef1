import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { setUp } from "../../harness/cleanup.ts";
import { type AnyWrite, anyWrite, RandomWriter, type Sent, walk } from "../../harness/requests/random-writes.ts";
import { databaseMaker } from "../../harness/servers/postgres.ts";
import { startService, type TestService } from "../../harness/service/service.ts";
import { onEveryStore } from "../../harness/service/stores.ts";
import { FakeClock } from "../../harness/time/clock.ts";

const writes = fc.array(anyWrite, { minLength: 1, maxLength: 40 });

/** One target of each kind that has a tag. */
const targetsOf = ({ animals, orders }: RandomWriter): string[] => [
  ...[
    "/pets?limit=3",
    "/pets?sort=-id&limit=2",
    "/pets?name=r",
    "/store/orders?limit=2",
    "/categories",
    "/categories/1",
  ],
  ...[animals.at(0), animals.at(-1)].flatMap((id) => (id === undefined ? [] : [`/pets/${id}`, `/pets?id=${id}`])),
  ...(orders.at(-1) === undefined ? [] : [`/store/orders/${orders.at(-1)}`]),
];

const contentOf = ({ text, headers }: Sent["answer"]): string => `${text} ${headers.get("link")}`;

onEveryStore(({ startService }) => {
  test("a tag stands for one content: equal exactly if body and Link are, and 304 exactly for the current one", async () => {
    const service = await startService();
    const writer = new RandomWriter(service);
    const byTarget = new Map<string, Map<string, string>>();
    await fc.assert(
      fc.asyncProperty(anyWrite, async (write) => {
        await writer.send(write);
        for (const target of targetsOf(writer)) {
          const answer = await service.call(`GET ${target}`);
          if (answer.status !== 200) continue;
          const tag = answer.headers.get("etag") as string;
          const known = byTarget.get(target) ?? new Map<string, string>();
          byTarget.set(target, known.set(tag, known.get(tag) ?? contentOf(answer)));
          expect([target, known.get(tag)]).toEqual([target, contentOf(answer)]);
          expect([...known].filter(([, content]) => content === contentOf(answer))).toHaveLength(1);
          const stale = [...known.keys()].filter((other) => other !== tag).slice(-3);
          const ask = (header: string) => service.call(`GET ${target}`, { headers: { "If-None-Match": header } });
          const unchanged = await ask([...stale, `W/${tag}`].join(", "));
          expect([unchanged.status, unchanged.text, unchanged.headers.get("etag")]).toEqual([304, "", tag]);
          const changed = await ask(['"another"', ...stale].join(", "));
          expect([changed.status, changed.text]).toEqual([200, answer.text]);
        }
      }),
      { numRuns: 60 },
    );
  });

  test("a write with If-Match is refused with 412 exactly if the tag is not the current one, and then changes nothing", async () => {
    const service = await startService();
    const writer = new RandomWriter(service);
    let [met, failed] = [0, 0];
    await fc.assert(
      fc.asyncProperty(anyWrite, async (write) => {
        const { line, condition = "none" } = writer.requestFor(write);
        const target = line.split(" ")[1];
        const before = condition === "none" ? undefined : await service.call(`GET ${target}`);
        const { answer } = await writer.send(write);
        if (!before || (before.status === 404 && answer.status === 404)) return;
        const isMet = before.status === 200 && ["current", "listed", "any"].includes(condition);
        expect([line, condition, answer.status === 412]).toEqual([line, condition, !isMet]);
        if (isMet) met++;
        else failed++;
        if (!isMet) expect((await service.call(`GET ${target}`)).text).toBe(before.text);
      }),
      { numRuns: 250 },
    );
    expect([met > 20, failed > 20]).toEqual([true, true]);
  });

  test("a write that is sent again under its Idempotency-Key gets its first answer, whatever has happened since, and changes nothing", async () => {
    const service = await startService();
    const writer = new RandomWriter(service);
    const contents = async () => [
      await walk(service, "/pets?limit=100"),
      await walk(service, "/store/orders?limit=100"),
      await walk(service, "/categories?limit=100"),
    ];
    const told = ({ status, text, headers }: Sent["answer"]) => [
      status,
      text,
      headers.get("etag"),
      headers.get("location"),
    ];
    await fc.assert(
      fc.asyncProperty(writes, async (steps) => {
        const sent: Sent[] = [];
        for (const step of steps) sent.push(await writer.send(step, { "Idempotency-Key": crypto.randomUUID() }));
        const done = sent.filter(({ answer }) => answer.status < 300);
        const before = await contents();
        for (const { line, body, headers, answer } of done.toReversed()) {
          const again = await service.call(line, { ...(body === undefined ? {} : { body }), headers });
          expect([line, ...told(again)]).toEqual([line, ...told(answer)]);
          expect(again.headers.get("idempotency-replayed")).toBe("true");
        }
        expect(await contents()).toEqual(before);
      }),
      { numRuns: 12 },
    );
  });
});

describe.skipIf(process.env.TEST_STORES === "sqlite")("SQLite and PostgreSQL", () => {
  let services: TestService[] = [];
  setUp(async () => {
    const newDatabase = await databaseMaker();
    const clock = new FakeClock();
    // The same on both, because Links begin with it.
    const env = { PUBLIC_URL: "https://store.example/v1" };
    services = [
      await startService({ clock, env }),
      await startService({ clock, env: { ...env, DATABASE_URL: await newDatabase() } }),
    ];
  });

  /** Renumbers orders from 1, because a refused order may use up an id on PostgreSQL. */
  const transcript = async (writer: RandomWriter, service: TestService, steps: readonly AnyWrite[]) => {
    const texts: unknown[] = [];
    const note = (line: string, { status, text, headers }: Sent["answer"]): void => {
      const isOrder = line.includes("/store/orders");
      const hidden = (part: string | null) => {
        if (!isOrder || part === null) return part;
        return part.replaceAll(/"id":(\d+)/g, (_, id) => `"id":#${writer.orders.indexOf(Number(id))}`);
      };
      texts.push([status, hidden(text), isOrder ? null : headers.get("etag"), isOrder ? null : headers.get("link")]);
    };
    for (const step of steps) {
      const { line, answer } = await writer.send(step);
      note(line, answer);
    }
    for (const target of targetsOf(writer)) note(target, await service.call(`GET ${target}`));
    return texts;
  };

  test("any writes get the same answers on both, and leave the same behind", async () => {
    const writers = services.map((service) => new RandomWriter(service));
    await fc.assert(
      fc.asyncProperty(writes, async (steps) => {
        const [first, second] = await Promise.all(
          writers.map((writer, i) => transcript(writer, services[i] as TestService, steps)),
        );
        expect(second).toEqual(first as unknown[]);
      }),
      { numRuns: 12, endOnFailure: true },
    );
  });
});
