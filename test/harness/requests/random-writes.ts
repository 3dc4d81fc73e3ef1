import fc from "fast-check";
import type { TestService } from "../service/service.ts";
import type { Answer } from "./send.ts";

// Random sequences of writes, for properties that must hold after any of them.

/** Names that fold alike, or nearly; that ASCII rules do not fold; and that UTF-16 and code points order differently. */
export const NAMES = [
  ...["Rex", "REX", "rex", "rexy", "Re", "R", "Zoë", "Zoe\u0308", "zoé", "Straße", "STRASSE", "ẞ", "ß"],
  ...["İzmir", "i̇zmir", "Izmir", "ΟΔΟΣ", "οδός", "ΟΔΟΣ!", "Å", "\u212b", "ﬁn", "FIN", "Ǆ", "ǅ", "Ⅷ"],
  ...[
    "\uffee",
    "\u{1f408}",
    "\u{1f408}\u200d\u2b1b",
    "\u{10ffff}a",
    "\ud7ff",
    "%",
    "_",
    "a%b",
    "a_b",
    "O'Hara",
    "\\",
    '"',
  ],
  "x".repeat(255),
];

const anyName = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...NAMES) },
  { weight: 1, arbitrary: fc.stringMatching(/^[a-cA-C]{1,4}$/) },
);
const anyStatus = fc.constantFrom("available", "pending", "sold");
/** Picks one of the existing things. */
const which = fc.nat(1_000);

/** The kinds of If-Match: none, the current tag, the current one among others, any, a weak one, or a stale one. */
const CONDITIONS = ["none", "current", "listed", "any", "weak", "stale"] as const;
export type Condition = (typeof CONDITIONS)[number];
const condition = fc.constantFrom(...CONDITIONS);

const one = <Kind extends string, More extends object>(
  kind: Kind,
  more: { [Name in keyof More]: fc.Arbitrary<More[Name]> },
) => fc.record({ kind: fc.constant(kind), ...more }) as unknown as fc.Arbitrary<{ readonly kind: Kind } & More>;

export const anyWrite = fc.oneof(
  {
    weight: 5,
    arbitrary: one("create", { name: anyName, categoryId: fc.integer({ min: -2, max: 2 }), status: anyStatus }),
  },
  {
    weight: 4,
    arbitrary: one("update", {
      which,
      condition,
      change: fc
        .record({ name: anyName, categoryId: fc.integer({ min: -2, max: 2 }), status: anyStatus }, { requiredKeys: [] })
        .filter((change) => Object.keys(change).length > 0),
    }),
  },
  { weight: 2, arbitrary: one("remove", { which, condition }) },
  { weight: 3, arbitrary: one("order", { which, reference: fc.option(fc.constantFrom("A-1", "a-1", "B", "ﬁ")) }) },
  {
    weight: 3,
    arbitrary: one("move", { which, condition, to: fc.constantFrom("approved", "delivered", "cancelled") }),
  },
  { weight: 2, arbitrary: one("name", { categoryId: fc.nat(4), name: anyName, condition }) },
  { weight: 1, arbitrary: one("unname", { categoryId: fc.nat(4), condition }) },
);

export type AnyWrite = typeof anyWrite extends fc.Arbitrary<infer Write> ? Write : never;

export interface Sent {
  readonly line: string;
  readonly body: unknown;
  readonly headers: Record<string, string>;
  readonly answer: Answer;
}

/** Plays writes against a service, and keeps track of what exists. */
export class RandomWriter {
  readonly animals: number[] = [];
  readonly orders: number[] = [];
  /** All tags seen so far. */
  readonly tags = new Set<string>();

  constructor(private readonly service: Pick<TestService, "call">) {}

  async send(write: AnyWrite, more: Record<string, string> = {}): Promise<Sent> {
    const { line, body, condition: asked = "none" } = this.requestFor(write);
    const target = line.split(" ")[1] as string;
    const current = asked === "none" ? null : (await this.service.call(`GET ${target}`)).headers.get("etag");
    if (current !== null) this.tags.add(current);
    const ifMatch = this.#headerFor(asked, current);
    const headers = { ...(ifMatch === undefined ? {} : { "If-Match": ifMatch }), ...more };
    const answer = await this.service.call(line, { ...(body === undefined ? {} : { body }), headers });
    const tag = answer.headers.get("etag");
    if (tag !== null) this.tags.add(tag);
    if (answer.status === 201 && write.kind === "create") this.animals.push(answer.json.id);
    if (answer.status === 201 && write.kind === "order") this.orders.push(answer.json.id);
    return { line, body, headers, answer };
  }

  requestFor(write: AnyWrite): { line: string; body?: unknown; condition?: Condition } {
    const animal = (index: number) => this.animals[index % Math.max(1, this.animals.length)] ?? 0;
    switch (write.kind) {
      case "create": {
        const { name, categoryId, status } = write;
        return { line: "POST /pets", body: { name, categoryId, status } };
      }
      case "update":
        return { line: `PATCH /pets/${animal(write.which)}`, body: write.change, condition: write.condition };
      case "remove":
        return { line: `DELETE /pets/${animal(write.which)}`, condition: write.condition };
      case "order": {
        const reference = write.reference === null ? {} : { reference: write.reference };
        return { line: "POST /store/orders", body: { petId: animal(write.which), ...reference } };
      }
      case "move": {
        const order = this.orders[write.which % Math.max(1, this.orders.length)] ?? 0;
        return { line: `PATCH /store/orders/${order}`, body: { status: write.to }, condition: write.condition };
      }
      case "name":
        return { line: `PUT /categories/${write.categoryId}`, body: { name: write.name }, condition: write.condition };
      case "unname":
        return { line: `DELETE /categories/${write.categoryId}`, condition: write.condition };
    }
  }

  #headerFor(asked: Condition, current: string | null): string | undefined {
    if (asked === "none") return undefined;
    if (asked === "any") return "*";
    if (asked === "stale" || current === null) return [...this.tags].find((tag) => tag !== current) ?? '"another"';
    return { current, listed: `"another", ${current}`, weak: `W/${current}` }[asked];
  }
}

/** All rows of a list, page after page. */
export async function walk(service: Pick<TestService, "call">, target: string): Promise<Answer["json"][]> {
  const rows: Answer["json"][] = [];
  for (let next: string | undefined = target; next !== undefined; ) {
    const { status, json, headers }: Answer = await service.call(`GET ${next}`);
    if (status !== 200) throw new Error(`GET ${next} was answered with ${status} ${JSON.stringify(json)}`);
    rows.push(...json);
    const link = /<[^>]*\/v1([^>]+)>; rel="next"/.exec(headers.get("link") ?? "")?.[1];
    if (link !== undefined && json.length === 0) throw new Error(`GET ${next} is empty, and has a next page`);
    next = link;
  }
  return rows;
}
