import type { AnimalStoreOptions } from "../../src/index.ts";
import type { Everywhere } from "./env.ts";

const SECRET = "pk_live_Zebra";

/** Secrets with characters that no key contains. */
const WRONG_KEYS = [
  `${SECRET}\nX-Evil: 1`,
  `${SECRET} ${SECRET}`,
  `${SECRET}\u00e9`,
  `\u{1f993}${SECRET}`,
  `${SECRET}\0`,
];

export const aKeyThatCannotBeRightIsRefusedWithoutBeingShown = async (env: Everywhere): Promise<void> => {
  const { AnimalStore, equal, baseUrl } = env;
  const wrong = [...WRONG_KEYS, "", " \n", 42 as unknown as string, { SECRET } as unknown as string];
  for (const apiKey of wrong) {
    const made = caught(() => new AnimalStore({ baseUrl, apiKey }));
    equal(
      [made instanceof TypeError, /^apiKey is (wrong|missing)/.test(String(made.message))],
      [true, true],
      made.message,
    );
    const found = await new AnimalStore({ baseUrl, apiKey: () => apiKey }).key().then(
      () => new Error("It worked."),
      (error: Error) => error,
    );
    equal([found instanceof TypeError, found.message], [true, made.message]);
    equal(/Zebra/.test(`${made.message} ${made.stack} ${found.stack} ${JSON.stringify(made)}`), false, "it is shown");
  }
  for (const headers of [
    { Authorization: `Bearer ${SECRET}` },
    { authorization: `Bearer ${SECRET}\n\n!` },
    { "X-Key": `${SECRET}\n1` },
  ]) {
    const made = caught(() => new AnimalStore({ baseUrl, apiKey: SECRET, headers }));
    equal(
      [made instanceof TypeError, /header/.test(made.message), /Zebra/.test(String(made.stack))],
      [true, true, false],
    );
  }
};

export const aKeyThatWasReadFromAFileWorks = async ({ store, apiKey, equal }: Everywhere): Promise<void> => {
  equal((await store({ apiKey: ` ${apiKey}\r\n` }).key()).plan, "enterprise");
  equal((await store({ apiKey: async () => `${apiKey}\n` }).key()).plan, "enterprise");
};

export const whatFailsToFindTheKeyIsWhatTheCallFailsWith = async ({ store, equal }: Everywhere): Promise<void> => {
  const lost = new Error("the vault is closed");
  const asked: string[] = [];
  const options: AnimalStoreOptions = { apiKey: () => Promise.reject(lost), onRequest: () => void asked.push("sent") };
  const client = store(options);
  // The second call would wait forever if the first one did not return its pass.
  for (let i = 0; i < 2; i++) equal((await client.key().catch((error: unknown) => error)) === lost, true);
  equal(asked, [], "requests that a hook was told of, though none was sent");
};

export const aHookNeverSeesTheKeyWhateverItKeeps = async ({ store, apiKey, equal }: Everywhere): Promise<void> => {
  const kept: unknown[] = [];
  const keep = (event: unknown): void => void kept.push(event);
  const client = store({ onRequest: keep, onResponse: keep, onRetry: keep, onDeprecated: keep });
  await client.key();
  await client.pets.get(0).catch(keep);
  // Kept events are inspected after the call.
  const shown = kept.map((event) => {
    const { headers } = event as { headers?: Headers };
    return JSON.stringify([event, headers && [...headers]]);
  });
  equal([shown.length, shown.filter((text) => text.includes(apiKey))], [6, []]);
};

export const aClientHasNothingToCopyOutOfIt = async ({ store, apiKey, equal }: Everywhere): Promise<void> => {
  const client = store();
  await client.key();
  const copies = [JSON.stringify(client), String(client), JSON.stringify(structuredClone(client)), allOf(client)];
  equal(
    copies.filter((copy) => copy.includes(apiKey)),
    [],
  );
};

/** All properties that can be reached, including hidden ones. */
function allOf(value: unknown, seen = new Set<unknown>()): string {
  if (typeof value !== "object" || value === null) return String(value);
  if (seen.has(value)) return "";
  seen.add(value);
  return Reflect.ownKeys(value)
    .map((name) => allOf(Reflect.get(value, name), seen))
    .join();
}

function caught(work: () => unknown): Error {
  try {
    work();
  } catch (error) {
    return error as Error;
  }
  return new Error("Nothing was thrown.");
}
