import { endConnection } from "./header-template.ts";

const INTERVAL_MS = 100;
const MAX_RESPONSES = 100;

/**
 * Nothing limits how often the pages and probes outside of the interface are asked for. So when it is very often,
 * each response ends its connection: others then wait for one request of each flooding connection, not for all
 * that are pipelined in it.
 */
export class PageFlood {
  #intervalEndsAtMs = 0;
  #responses = 0;

  constructor(private readonly nowMs: () => number = () => performance.now()) {}

  /** The response itself, with the header that ends the connection if there are too many. */
  bound(response: Response): Response {
    const nowMs = this.nowMs();
    if (nowMs >= this.#intervalEndsAtMs) {
      this.#intervalEndsAtMs = nowMs + INTERVAL_MS;
      this.#responses = 0;
    }
    return ++this.#responses > MAX_RESPONSES ? endConnection(response) : response;
  }
}
