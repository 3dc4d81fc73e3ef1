import { afterAll, describe, expect, test } from "bun:test";
import { RawConnection } from "../harness/requests/raw.ts";
import { startService } from "../harness/service/service.ts";

// The cost of bodies, and requests whose connection ends abnormally.

const service = await startService();
const REX = JSON.stringify({ name: "Rex", categoryId: 7 });
const connections: RawConnection[] = [];
afterAll(() => {
  for (const connection of connections) connection.destroy();
});

async function open(): Promise<RawConnection> {
  const connection = await RawConnection.open(service.origin);
  connections.push(connection);
  return connection;
}

const head = (line: string, ...headers: string[]): string =>
  [
    `${line} HTTP/1.1`,
    "Host: test",
    `Authorization: Bearer ${service.boundless}`,
    "Content-Type: application/json",
    ...headers,
    "\r\n",
  ].join("\r\n");

const CHUNKED = "Transfer-Encoding: chunked";
const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
const LAST_CHUNK = "0\r\n\r\n";
const posted = (body: string): string => head("POST /v1/pets", `Content-Length: ${body.length}`) + body;
const inChunks = (...texts: string[]): string => head("POST /v1/pets", CHUNKED) + texts.map(chunk).join("");

/** Sends bytes on a new connection. Returns the response, and whether the connection is still open. */
async function exchange(...sent: (string | Uint8Array)[]): Promise<{ answer: string; isOpen: boolean }> {
  const connection = await open();
  for (const text of sent) connection.send(text);
  const answer = await connection.answer();
  if (/^connection: close/im.test(answer)) await connection.until(() => false);
  return { answer, isOpen: !connection.isClosed };
}

const statusOf = (answer: string): number => Number(answer.split(" ", 2)[1]);
const errorOf = (answer: string) => JSON.parse(answer.slice(answer.indexOf("\r\n\r\n") + 4));
/** The number of animals created, which is the id of the last one. */
async function animals(): Promise<number> {
  const created = await service.call("POST /pets", { body: REX });
  return created.json.id - ++counted;
}
let counted = 0;

/** CPU time of this process, which is both the service and its client. */
async function cpuMs(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

describe("a chunked body", () => {
  test("is a body like any other, in up to 64 pieces", async () => {
    for (const texts of [[REX], [...REX.slice(0, 20), REX.slice(20)], [...REX, ..." ".repeat(64 - REX.length)]]) {
      const { answer, isOpen } = await exchange(inChunks(...texts) + LAST_CHUNK);
      expect([statusOf(answer), isOpen]).toEqual([201, true]);
    }
  });

  test("in more pieces answers 413 and ends the connection", async () => {
    const { answer, isOpen } = await exchange(inChunks(REX, ..." ".repeat(64)) + LAST_CHUNK);
    expect(errorOf(answer)).toEqual({
      code: "payload_too_large",
      message: "The body was sent in more than 64 pieces. Send it all at once, with a Content-Length.",
      status: 413,
    });
    expect(answer).toContain("X-RateLimit-Remaining: ");
    expect(isOpen).toBe(false);
  });

  test("in 65,000 chunks of one byte costs milliseconds, not a tenth of a second", async () => {
    const body = inChunks(REX) + chunk(" ").repeat(65_000);
    const send = async () => {
      const { answer, isOpen } = await exchange(body + LAST_CHUNK);
      expect([statusOf(answer), isOpen]).toEqual([413, false]);
    };
    await send();
    expect(await cpuMs(async () => Promise.all(Array.from({ length: 10 }, send)))).toBeLessThan(10 * 30);
  });

  test("that is too large is read to its end, so that its sender gets the answer and can go on", async () => {
    const { answer, isOpen } = await exchange(
      inChunks(
        ..."x"
          .repeat(20)
          .split("")
          .map((x) => x.repeat(40_000)),
      ) + LAST_CHUNK,
    );
    expect([statusOf(answer), isOpen]).toEqual([413, true]);
    expect(errorOf(answer).message).toBe("The body is larger than 16384 bytes. Send a smaller one.");
  });

  test("that is far too large ends the connection", async () => {
    const connection = await open();
    connection.send(head("POST /v1/pets", CHUNKED));
    let sent = 0;
    while (!connection.isClosed && sent < 200) {
      connection.send(chunk("x".repeat(100_000)));
      sent++;
      await Bun.sleep(0);
    }
    await connection.until(() => false);
    expect(sent).toBeLessThan(200);
  });

  test("that nobody reads ends the connection, on every path", async () => {
    for (const line of [
      "GET /v1/pets",
      "POST /v1/nothing",
      "DELETE /v1/pets",
      "GET /healthz",
      "GET /docs",
      "POST /nothing",
    ]) {
      const { answer, isOpen } = await exchange(head(line, CHUNKED) + chunk("x"));
      expect([line, answer === "", isOpen]).toEqual([line, false, false]);
    }
    const unauthorized = await exchange(`POST /v1/pets HTTP/1.1\r\nHost: test\r\n${CHUNKED}\r\n\r\n`);
    expect([statusOf(unauthorized.answer), unauthorized.isOpen]).toEqual([401, false]);
    const notJson = await exchange(inChunks(REX).replace("application/json", "text/plain"));
    expect([statusOf(notJson.answer), notJson.isOpen]).toEqual([415, false]);
  });
});

describe("a body with a length", () => {
  test("that is too large answers 413 at once, and the connection can be used again", async () => {
    const connection = await open();
    const size = 3_000_000;
    connection.send(head("POST /v1/pets", `Content-Length: ${size}`));
    const refusal = await connection.answer();
    expect(errorOf(refusal).code).toBe("payload_too_large");
    connection.send(new Uint8Array(size));
    connection.send(posted(REX));
    expect(await connection.until((received) => received.includes("201 Created"))).toContain("201 Created");
  });

  test("that is sent twice, as HTTP allows, is a length like any other", async () => {
    const twice = (length: number) => head("POST /v1/pets", `Content-Length: ${length}`, `Content-Length: ${length}`);
    expect(statusOf((await exchange(twice(REX.length) + REX)).answer)).toBe(201);
    expect(statusOf((await exchange(twice(3_000_000))).answer)).toBe(413);
  });

  test("may be announced, and is then asked for", async () => {
    const connection = await open();
    connection.send(head("POST /v1/pets", `Content-Length: ${REX.length}`, "Expect: 100-continue"));
    expect(await connection.until((received) => received.includes("\r\n\r\n"))).toBe("HTTP/1.1 100 Continue\r\n\r\n");
    connection.send(REX);
    expect(await connection.until((received) => received.includes("{"))).toContain("HTTP/1.1 201 Created");
  });

  test("may arrive byte by byte", async () => {
    const connection = await open();
    for (const character of posted(REX)) connection.send(character);
    expect(statusOf(await connection.answer())).toBe(201);
  });

  test("is not looked at when the method takes none", async () => {
    const { answer, isOpen } = await exchange(`${head("GET /v1/pets?limit=1", "Content-Length: 5")}hello`);
    expect([statusOf(answer), isOpen]).toEqual([200, true]);
  });
});

describe("what costs more than its bytes", () => {
  const SIZE = 16_384;
  const fill = (start: string, unit: (i: number) => string, end: string): string => {
    let text = start;
    for (let i = 0; text.length + unit(i).length + end.length < SIZE; i++) text += unit(i);
    return text + end;
  };
  const worst: Record<string, string> = {
    "numbers in an array": fill("[1", () => ",1", "]"),
    "nested objects": fill('{"a":[1', () => ',{"b":1.0}', "]}"),
    "different names": fill('{"a":1', (i) => `,"n${i}":1.0`, "}"),
    "the same name": fill('{"a":1', () => ',"a":1', "}"),
    "deep arrays": "[".repeat(SIZE / 2) + "]".repeat(SIZE / 2),
    "deep objects": fill("", () => '{"a":', ""),
    "64 long numbers": `{${Array.from({ length: 60 }, (_, i) => `"n${i}":${"9".repeat(250)}`)}}`,
    "one long number": fill('{"name":"Rex","categoryId":1', () => "0", "}"),
    "colons in a string": fill('{"name":"', () => ":", '","categoryId":7}'),
    "escapes in a string": fill('{"name":":', () => '\\"', '","categoryId":7}'),
    "invisible characters": fill('{"name":"', () => "\\u200b", '","categoryId":7}'),
  };

  const ROUNDS = 20;
  const send = (body: string, status: number) => async () => {
    for (let i = 0; i < ROUNDS; i++) expect((await service.call("POST /pets", { body })).status).toBe(status);
  };

  for (const [name, body] of Object.entries(worst))
    test(`${name}: refused at about the cost of a creation`, async () => {
      const [create, refuse] = [send(REX, 201), send(body, 400)];
      await create();
      await refuse();
      const least = async (work: () => Promise<void>) =>
        Math.min(await cpuMs(work), await cpuMs(work), await cpuMs(work));
      expect(await least(refuse)).toBeLessThan(2.5 * (await least(create)));
    });
});

describe("nothing is done", () => {
  const trailed = `${inChunks(REX)}0\r\nX-Checksum: 1\r\n\r\n`;
  const cases: Record<string, string> = {
    "for a body that a trailer follows": trailed,
    "for a body that a blank line follows": `${posted(REX)}\r\n`,
    "for a request with garbage behind it": `${posted(REX)}garbage\r\n\r\n`,
    "for a request with another one behind it, since it would not be answered": posted(REX) + posted(REX),
  };

  for (const [name, sent] of Object.entries(cases))
    test(name, async () => {
      const before = await animals();
      const connection = await open();
      connection.send(sent);
      const answer = await connection.until(() => false);
      expect(["", "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n"]).toContain(answer);
      expect(await animals()).toBe(before);
    });

  test("when the blank line comes with the body, after the rest of the request", async () => {
    const before = await animals();
    const connection = await open();
    connection.send(head("POST /v1/pets", `Content-Length: ${REX.length}`));
    await service.call("GET /pets");
    connection.send(`${REX}\r\n`);
    expect(await connection.until(() => false)).toStartWith("HTTP/1.1 400 Bad Request\r\nConnection: close");
    expect(await animals()).toBe(before);
  });
});

test("what Bun answers by itself can be retried: with an Idempotency-Key, nothing is done twice", async () => {
  const before = await animals();
  const request = head("POST /v1/pets", "Idempotency-Key: once-and-only", `Content-Length: ${REX.length}`) + REX;
  const connection = await open();
  connection.send(request);
  connection.send("\r\n");
  await connection.until(() => false);
  for (let i = 0; i < 3; i++) expect(statusOf((await exchange(request)).answer)).toBe(201);
  expect(await animals()).toBe(before + 1);
});

describe("a request whose sender has shut down its side", () => {
  const sendAndEnd = async (request: string) => {
    const connection = await open();
    connection.send(request);
    connection.end();
    expect(await connection.until(() => false)).toBe("");
  };

  test("is not answered, and not done either if that shows in time", async () => {
    const before = await animals();
    const count = 60;
    let isOver = false;
    let written = 0;
    const writers = Array.from({ length: 8 }, async () => {
      for (; !isOver; written++) expect(statusOf((await exchange(posted(REX))).answer)).toBe(201);
    });
    await Promise.all(Array.from({ length: count }, () => sendAndEnd(posted(REX))));
    isOver = true;
    await Promise.all(writers);
    expect((await animals()) - before - written).toBeLessThan(count / 3);
  });

  test("is never done twice, with an Idempotency-Key", async () => {
    const before = await animals();
    const request = head("POST /v1/pets", "Idempotency-Key: half-closed", `Content-Length: ${REX.length}`) + REX;
    await sendAndEnd(request);
    expect(statusOf((await exchange(request)).answer)).toBe(201);
    expect(await animals()).toBe(before + 1);
  });
});
