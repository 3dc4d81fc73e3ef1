import { connect } from "node:net";

// Closed-loop clients over raw connections, so that their counts are those of a peer.

/** The text of a GET request with these header fields. */
export const getRequest = (path: string, fields: Record<string, string> = {}): string =>
  `GET ${path} HTTP/1.1\r\n${Object.entries({ Host: "localhost", ...fields })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("")}\r\n`;

/** Takes one complete response with a Content-Length from the received text. */
function takeAnswer(received: string): { readonly head: string; readonly rest: string } | undefined {
  const headEnd = received.indexOf("\r\n\r\n");
  if (headEnd === -1) return undefined;
  const head = received.slice(0, headEnd);
  const end = headEnd + 4 + Number(/\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
  return received.length < end ? undefined : { head, rest: received.slice(end) };
}

const isClosing = (head: string): boolean => /\nconnection: close\r?$/im.test(head);

export interface KeepAliveOptions {
  readonly origin: string;
  readonly request: string;
  readonly connections: number;
  /** Opens another connection after the last response of one, until it is refused. */
  readonly reconnects?: boolean;
}

/** Clients with keep-alive connections, each of which sends the next request when the last one is answered. */
export class KeepAliveLoad {
  answered = 0;
  /** Responses with `Connection: close`. */
  closed = 0;
  /** Requests that were written to an open connection and never answered. */
  lost = 0;
  /** Lost requests whose connection was opened after markStop(). */
  lostLater = 0;
  #stopMarkedAtMs = Number.POSITIVE_INFINITY;
  #clients: Promise<void>[];
  #isStopped = false;

  constructor(private readonly options: KeepAliveOptions) {
    this.#clients = Array.from({ length: options.connections }, () => this.#run());
  }

  /** Resolves when all clients have stopped: the service is gone, or stop() was called. */
  async end(): Promise<this> {
    await Promise.all(this.#clients);
    return this;
  }

  /** Stops each client after its pending response. */
  stop(): Promise<this> {
    this.#isStopped = true;
    return this.end();
  }

  /** Marks the time at which the service is told to stop. */
  markStop(): void {
    this.#stopMarkedAtMs = performance.now();
  }

  async #run(): Promise<void> {
    while (await this.#converse());
  }

  /** Uses one connection to its end. Resolves to true if the client should open another. */
  #converse(): Promise<boolean> {
    const { origin, request, reconnects = false } = this.options;
    const { hostname, port } = new URL(origin);
    return new Promise((resolve) => {
      let received = "";
      let isWaiting = false;
      let wasLast = false;
      const openedAtMs = performance.now();
      const socket = connect(Number(port), hostname, () => send());
      const send = () => {
        isWaiting = true;
        socket.write(request);
      };
      socket.on("data", (chunk) => {
        received += chunk.toString("latin1");
        const answer = takeAnswer(received);
        if (!answer) return;
        received = answer.rest;
        isWaiting = false;
        this.answered++;
        wasLast = isClosing(answer.head);
        if (wasLast) this.closed++;
        if (wasLast || this.#isStopped) socket.end();
        else send();
      });
      socket.on("error", () => {});
      socket.on("close", () => {
        if (isWaiting && openedAtMs > this.#stopMarkedAtMs) this.lostLater++;
        else if (isWaiting) this.lost++;
        resolve(wasLast && reconnects && !this.#isStopped);
      });
    });
  }
}
