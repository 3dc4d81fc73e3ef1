import type { Everywhere } from "./env.ts";

/** Integers around the limits beyond which digits are lost. */
const INTEGERS = [
  "0",
  "1",
  "-1",
  "9007199254740991",
  "9007199254740992",
  "9007199254740993",
  "-9007199254740993",
  "1234567890123456789",
  "9223372036854775806",
  "9223372036854775807",
  "-9223372036854775808",
];

export const everyDigitOfInt64GoesThereAndBack = async ({ store, equal, unique }: Everywhere): Promise<void> => {
  const { pets, categories } = store();
  for (const digits of INTEGERS) {
    const safe = Number.isSafeInteger(Number(digits)) ? [Number(digits)] : [];
    for (const categoryId of [digits, BigInt(digits), ...safe]) {
      const about = `${digits} as ${typeof categoryId}`;
      const pet = await pets.create({ name: "Rex", categoryId });
      equal(pet.categoryId, digits, about);
      equal((await pets.find(pet.id))?.categoryId, digits, about);
      equal((await pets.update(pet.id, { categoryId })).categoryId, digits, about);
      const { items } = await pets.list({ categoryId, sort: "-id", limit: 1 });
      equal(items, [pet], about);
      const name = unique();
      equal(await categories.put(categoryId, { name }), { id: digits, name }, about);
      equal(await categories.get(categoryId), { id: digits, name }, about);
      equal((await categories.list({ name })).items, [{ id: digits, name }], about);
      await categories.delete(categoryId);
    }
  }
};

export const idsOfOrdersAreExact = async ({ store, equal }: Everywhere): Promise<void> => {
  const { pets, orders } = store();
  const { id: petId } = await pets.create({ name: "Rex", categoryId: 1 });
  const order = await orders.place({ petId: BigInt(petId) });
  equal(order.petId, petId);
  equal(await orders.get(BigInt(order.id)), order);
  equal((await orders.list({ petId: Number(petId) })).items, [order]);
};

export const whatIsNoInt64IsRefusedBeforeItIsSent = async ({ store, equal }: Everywhere): Promise<void> => {
  let sent = 0;
  const counting = (): Promise<Response> => {
    sent++;
    return Promise.reject(new Error("nothing must be sent"));
  };
  const { pets, orders, categories } = store({ fetch: counting });
  const wrong: readonly unknown[] = [
    ...[2 ** 53, -(2 ** 53), 1e21, Number.NaN, Number.POSITIVE_INFINITY, 1.5],
    ...[
      "",
      " 1",
      "1 ",
      "+1",
      "01",
      "-0",
      "1.0",
      "1e3",
      "0x1",
      "1_000",
      "١",
      "1\n",
      "9223372036854775808",
      "x".repeat(999),
    ],
    ...[2n ** 63n, -(2n ** 63n) - 1n],
    ...[null, true, Symbol("id"), {}, { id: 1 }, [], [1], Object.create(null), new Date(0), () => 1],
  ];
  for (const value of [...wrong, undefined]) {
    // The types do not allow these values.
    const id = value as string;
    const calls = {
      petId: () => orders.place({ petId: id }),
      orderId: () => orders.approve(id),
      categoryId: () => categories.get(id),
      id: () => pets.find(id),
    };
    for (const [field, call] of Object.entries(calls)) {
      // The service refuses missing fields, not the client.
      if (value === undefined && field === "petId") continue;
      const error = await call().then(
        () => undefined,
        (error) => error,
      );
      equal(error instanceof TypeError, true, `${field} ${typeof value}: ${error}`);
      equal(error.message.startsWith(`${field} is `), true, error.message);
      equal(error.message.length < 200, true, error.message);
      equal(/64-bit integer|leading zeros/.test(error.message), true, error.message);
    }
  }
  equal(sent, 0);
};

/** Texts in which a parser based on patterns might find the wrong id. */
const HOSTILE: readonly (readonly [json: string, expected: unknown])[] = [
  ['{"id":9007199254740993}', { id: "9007199254740993" }],
  ['\t{ "id" :\r\n -9007199254740993 , "petId":1}', { id: "-9007199254740993", petId: "1" }],
  ['[{"id":1},{"id":2,"categoryId":3}]', [{ id: "1" }, { id: "2", categoryId: "3" }]],
  [String.raw`{"name":"\"id\":1","id":2}`, { name: '"id":1', id: "2" }],
  [String.raw`{"name":"{\"id\":1}","id":2}`, { name: '{"id":1}', id: "2" }],
  [String.raw`{"name":",\u0022id\u0022:1,","id":2}`, { name: ',"id":1,', id: "2" }],
  [String.raw`{"name":"\\","id":2}`, { name: "\\", id: "2" }],
  [String.raw`{"name":"\\\"","id":2}`, { name: '\\"', id: "2" }],
  [String.raw`{"x\"id":9,"y,\"id":8}`, { 'x"id': 9, 'y,"id': 8 }],
  [String.raw`{"{\"id":9,"\\\"id":8,"id ":7,"Id":6}`, { '{"id': 9, '\\"id': 8, "id ": 7, Id: 6 }],
  ['{"id":"1","petId":null,"categoryId":[1,2]}', { id: "1", petId: null, categoryId: [1, 2] }],
  ['{"id":{"id":"1"},"a":["id",1,{"b":0}]}', { id: { id: "1" }, a: ["id", 1, { b: 0 }] }],
  ['{"id":1.5,"petId":1,"categoryId":9007199254740993}', { id: 1.5, petId: "1", categoryId: "9007199254740993" }],
  ['{"limit":60,"name":"}{","status":1}', { limit: 60, name: "}{", status: 1 }],
];

export const hostileJsonIsReadExactly = async ({ store, equal, failure }: Everywhere): Promise<void> => {
  const reading = (text: string): Promise<unknown> => {
    const answer = (): Promise<Response> =>
      Promise.resolve(new Response(text, { headers: { "Content-Type": "application/json" } }));
    const client = store({ fetch: answer, retries: 0 });
    return text.startsWith("[") ? client.pets.list().then(({ items }) => items) : client.key();
  };
  for (const [json, expected] of HOSTILE) equal(await reading(json), expected, json);
  for (const json of ['{"id":01}', '{"id":1', '{"id":+1}', '{"id":1,}', '{"id":-}'])
    equal((await failure(reading(json))).code, "connection_failed", json);
};
