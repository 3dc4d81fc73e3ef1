import { connect, createServer, type Socket } from "node:net";
import { atEnd } from "../../test/harness/cleanup.ts";
import type { Random } from "../../torture/common/random.ts";

/** The faults that may happen to an exchange. */
export const FAULTS = [
  "drops the connection before it forwards the request",
  "drops it while it forwards the request",
  "drops it when it has forwarded the request",
  "drops it instead of the answer",
  "delivers late",
  "never delivers",
  "cuts the answer in its headers",
  "cuts the answer in its body",
  "stalls in the middle of the body",
  "delivers the answer twice",
  "forwards the request twice",
  "answers by itself",
  "answers by itself, although it has forwarded the request",
  "damages the success of a write",
] as const;
export type Fault = (typeof FAULTS)[number];

export interface FaultProxy {
  readonly origin: string;
  /** The number of times that each fault happened. */
  readonly faults: ReadonlyMap<Fault, number>;
  /** The number of exchanges, with and without faults. */
  readonly exchanges: () => number;
}

/** A proxy that injects a fault into one of `oneIn` exchanges. */
export function startFaultProxy(targetPort: number, random: Random, oneIn = 2): Promise<FaultProxy> {
  const faults = new Map<Fault, number>();
  let exchanges = 0;
  const choose = (request: Buffer): Fault | undefined => {
    // Chromium never gives up on a preflight, even if its fetch is aborted, and has only six connections.
    if (request.toString("latin1", 0, 8) === "OPTIONS ") return undefined;
    exchanges++;
    if (!random.chance(1 / oneIn)) return undefined;
    const fault = random.pick(FAULTS);
    faults.set(fault, (faults.get(fault) ?? 0) + 1);
    return fault;
  };
  const open = new Set<Socket>();
  const server = createServer((client) => {
    open.add(client);
    client.on("error", () => {}).on("close", () => open.delete(client));
    let unread = Buffer.alloc(0);
    const line: Line = { isShifted: false };
    let earlier = Promise.resolve();
    client.on("data", (data: Buffer) => {
      unread = Buffer.concat([unread, data]);
      for (let length = messageLength(unread); length > 0; length = messageLength(unread)) {
        const request = unread.subarray(0, length);
        unread = unread.subarray(length);
        earlier = earlier.then(() =>
          new FaultyExchange(client, line, request, targetPort, random).run(choose(request)),
        );
      }
    });
  });
  atEnd(() => {
    for (const client of open) client.destroy();
    server.close();
  });
  return new Promise((resolve) =>
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      resolve({ origin: `http://127.0.0.1:${port}`, faults, exchanges: () => exchanges });
    }),
  );
}

/** The state of a client's connection. */
interface Line {
  /** True once an answer was delivered twice: the client may take each later one for that to the request after it. */
  isShifted: boolean;
}

/** One request and its fault. */
class FaultyExchange {
  constructor(
    private readonly client: Socket,
    private readonly line: Line,
    private readonly request: Buffer,
    private readonly targetPort: number,
    private readonly random: Random,
  ) {}

  async run(fault: Fault | undefined): Promise<void> {
    const { client, random } = this;
    switch (fault) {
      case "drops the connection before it forwards the request":
        return this.#drop();
      case "drops it while it forwards the request":
        connect(this.targetPort, "127.0.0.1").end(this.#part(this.request, 0));
        return this.#drop();
      case "drops it when it has forwarded the request":
        void this.#forward();
        return this.#drop();
      case "drops it instead of the answer":
        await this.#forward();
        return this.#drop();
      case "delivers late":
        await Bun.sleep(random.int(0, 20));
        break;
      case "never delivers":
        return void (await this.#forward());
      case "cuts the answer in its headers": {
        const answer = await this.#forward();
        return this.#drop(this.#part(answer.subarray(0, headLength(answer)), 0));
      }
      case "cuts the answer in its body": {
        const answer = await this.#forward();
        return this.#drop(this.#part(answer, headLength(answer)));
      }
      case "stalls in the middle of the body": {
        const answer = await this.#forward();
        return void client.write(this.#part(answer, headLength(answer)));
      }
      case "delivers the answer twice": {
        const answer = await this.#forward();
        this.line.isShifted = true;
        client.write(answer);
        // Either at once, or after the client may have sent its next request.
        if (random.chance(0.5)) await Bun.sleep(random.int(0, 4));
        client.write(answer);
        return;
      }
      case "forwards the request twice":
        client.write(await Promise.any([this.#forward(), this.#forward()]));
        return;
      case "answers by itself":
        return this.#answer();
      case "answers by itself, although it has forwarded the request":
        void this.#forward();
        return this.#answer();
      case "damages the success of a write":
        return void client.write(this.#damaged(await this.#forward()));
    }
    client.write(await this.#forward());
  }

  /** Fetches the service's whole response over a new connection. */
  #forward(): Promise<Buffer> {
    return new Promise((resolve) => {
      const upstream = connect(this.targetPort, "127.0.0.1", () => void upstream.write(this.request));
      let answer = Buffer.alloc(0);
      upstream.on("error", () => this.client.destroy());
      upstream.on("data", (data: Buffer) => {
        answer = Buffer.concat([answer, data]);
        if (messageLength(answer) === 0) return;
        upstream.destroy();
        resolve(answer);
      });
    });
  }

  /** Garbles the type or the body, or replaces both, and takes the marks of the service away. */
  #damaged(answer: Buffer): Buffer {
    const text = answer.toString("latin1");
    if (this.request.toString("latin1", 0, 4) === "GET " || !/^HTTP\/1.1 20[01]/.test(text)) return answer;
    const body = text.slice(headLength(answer));
    const asText = text.replace(/application\/json/i, "text/plain;charset=utf-8");
    const damaged = this.random.pick([
      text.replace(/application\/json/i, "appliHTTP/1.1 201 Created"),
      // A read that gets another request's answer without an id cannot tell it from the page of a captive portal.
      this.line.isShifted ? asText : asText.replace(/x-request-id: .*\r\n/i, ""),
      text.replace(body, body.replace("{", "[")),
      text.replace(body, "[]".padEnd(body.length)),
      text.replace(body, "null".padEnd(body.length)),
    ]);
    return Buffer.from(damaged, "latin1");
  }

  #answer(): void {
    const status = this.random.pick(["502 Bad Gateway", "503 Service Unavailable", "504 Gateway Timeout"]);
    const body = `<html><head><title>${status}</title></head></html>`;
    this.client.write(
      `HTTP/1.1 ${status}\r\nContent-Type: text/html\r\nContent-Length: ${body.length}\r\nRetry-After: 1\r\n\r\n${body}`,
    );
  }

  /** Sends the last bytes, then closes or resets the connection. */
  #drop(last: Buffer = Buffer.alloc(0)): void {
    const { client } = this;
    const isPolite = this.random.chance(0.5);
    client.write(last, () => (isPolite ? client.end() : client.resetAndDestroy()));
  }

  /** A part of a message from its beginning, of at least this many bytes, and never all of it. */
  #part(message: Buffer, least: number): Buffer {
    return message.subarray(0, this.random.int(least, Math.max(least, message.length - 1)));
  }
}

const headLength = (message: Buffer): number => message.indexOf("\r\n\r\n") + 4;

/** The length of the first message; 0 while it is incomplete. */
function messageLength(received: Buffer): number {
  const head = headLength(received);
  if (head < 4) return 0;
  const length = head + Number(/\ncontent-length: (\d+)/i.exec(received.toString("latin1", 0, head))?.[1] ?? 0);
  return received.length < length ? 0 : length;
}
