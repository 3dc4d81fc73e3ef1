import type { Random } from "../common/random.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Client, Request } from "./client.ts";
import type { Writes } from "./writes.ts";

const CATEGORIES_EACH = 3;

/** Names, renames and deletes categories that nobody else writes to. */
export class CategoryWork {
  readonly #ids: readonly bigint[];
  #count = 0;

  constructor(
    private readonly ledger: Ledger,
    private readonly writes: Writes,
    private readonly random: Random,
    private readonly label: string,
  ) {
    this.#ids = Array.from({ length: CATEGORIES_EACH }, (_, i) => BigInt.asIntN(56, BigInt(Bun.hash(`${label} ${i}`))));
  }

  /** Returns false if the service no longer answers. */
  act(client: Client, maybeNamed: (request: Request) => Request): Promise<boolean> {
    const id = this.random.pick(this.#ids);
    const history = this.ledger.category(id);
    // The outcome of the last request is unknown.
    if (history.open) return Promise.resolve(true);
    const target = `/categories/${id}`;
    const { board } = this.ledger;
    const exists = history.acknowledged !== undefined;
    const condition = exists && this.random.chance(0.3) ? { ifMatch: "*" } : {};
    if (exists && this.random.chance(0.4))
      return this.writes.send(client, {
        history,
        view: undefined,
        request: maybeNamed({ method: "DELETE", target, ...condition }),
        status: 204,
        onDone: ({ body }) => void board.check(body === "", () => `DELETE ${target} was answered with ${body}`),
      });
    const name = `${this.label} category ${this.#count++}`;
    const expected = `{"id":${id},"name":${JSON.stringify(name)}}`;
    return this.writes.send(client, {
      history,
      view: name,
      request: maybeNamed({ method: "PUT", target, body: `{"name":${JSON.stringify(name)}}`, ...condition }),
      status: exists ? 200 : 201,
      onDone: ({ body }) =>
        void board.check(body === expected, () => `PUT ${target} was answered with ${body} instead of ${expected}`),
    });
  }
}
