import { assertDescribed } from "../checks/openapi.ts";
import { RawConnection } from "./raw.ts";
import type { Answer, CallOptions } from "./send.ts";

/** Enough for each of four threads to get some: the chance that one gets none is 1 in 250,000. */
const COUNT = 48;

/** A keep-alive connection. The thread that accepted it answers all of its requests. */
class KeptConnection {
  #last: Promise<unknown> = Promise.resolve();
  #taken = 0;

  constructor(private readonly raw: RawConnection) {}

  /** Sends one request after another. */
  send(request: string): Promise<Omit<Answer, "json">> {
    const answer = this.#last.then(() => this.#converse(request));
    this.#last = answer.catch(() => {});
    return answer;
  }

  async #converse(request: string): Promise<Omit<Answer, "json">> {
    this.raw.send(request);
    let end = Number.POSITIVE_INFINITY;
    let bodyAt = 0;
    const received = await this.raw.until((text) => {
      const headEnd = text.indexOf("\r\n\r\n", this.#taken);
      if (headEnd === -1) return false;
      bodyAt = headEnd + 4;
      end = bodyAt + Number(/\ncontent-length: (\d+)/i.exec(text.slice(this.#taken, headEnd))?.[1] ?? 0);
      return text.length >= end;
    });
    if (received.length < end) throw new Error(`the connection was closed: ${received.slice(this.#taken)}`);
    const [statusLine = "", ...lines] = received.slice(this.#taken, bodyAt - 4).split("\r\n");
    this.#taken = end;
    const headers = new Headers(lines.map((line) => line.split(/: ?/, 2) as [string, string]));
    const text = Buffer.from(received.slice(bodyAt, end), "latin1").toString();
    return { status: Number(statusLine.split(" ")[1]), headers, text };
  }

  end(): void {
    this.raw.destroy();
  }
}

/** Connections to all threads of a service. */
export class KeptConnections {
  private constructor(
    private readonly connections: readonly KeptConnection[],
    private readonly secret: string,
  ) {}

  static async open({ origin, boundless }: { origin: string; boundless: string }): Promise<KeptConnections> {
    const opened = await Promise.all(Array.from({ length: COUNT }, () => RawConnection.open(origin)));
    return new KeptConnections(
      opened.map((raw) => new KeptConnection(raw)),
      boundless,
    );
  }

  get count(): number {
    return this.connections.length;
  }

  /** Calls the API over one of the connections, by number: `call(0, "GET /pets")`. */
  async call(number: number, line: string, { body, headers = {}, secret }: CallOptions = {}): Promise<Answer> {
    const [method = "", target = ""] = line.split(" ");
    const sent = body === undefined ? "" : typeof body === "string" ? body : JSON.stringify(body);
    const fields = {
      Host: "localhost",
      ...(secret === null ? {} : { Authorization: `Bearer ${secret ?? this.secret}` }),
      ...(body === undefined ? {} : { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(sent) }),
      ...headers,
    };
    const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
    const connection = this.connections[number % COUNT] as KeptConnection;
    const answer = await connection.send(`${method} /v1${target} HTTP/1.1\r\n${head.join("")}\r\n${sent}`);
    assertDescribed(method, target.split("?", 1)[0] as string, answer.status, answer.headers, answer.text);
    return { ...answer, json: answer.text === "" ? undefined : JSON.parse(answer.text) };
  }

  /** Makes the same call over all connections at once, some number of times. */
  callAll(line: string, options: CallOptions = {}, times = 1): Promise<Answer[]> {
    return Promise.all(Array.from({ length: COUNT * times }, (_, i) => this.call(i, line, options)));
  }

  end(): void {
    for (const connection of this.connections) connection.end();
  }
}
