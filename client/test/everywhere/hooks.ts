import type { Everywhere } from "./env.ts";

export const hooksHearOfEveryAttempt = async ({ store, equal, faulty }: Everywhere): Promise<void> => {
  const heard: string[] = [];
  const keys: (string | null)[] = [];
  const sent: (string | null)[] = [];
  const client = store({
    baseUrl: faulty("503", "pass"),
    onRequest: ({ operation, method, attempt, headers }) => {
      heard.push(`${method} ${operation} ${attempt}`);
      keys.push(headers.get("authorization"));
      headers.set("tracestate", `attempt=${attempt}`);
    },
    fetch: (url, init) => {
      sent.push(new Headers(init.headers).get("tracestate"));
      return fetch(url, init);
    },
    onResponse: ({ status, attempt }) => void heard.push(`${status} ${attempt}`),
    onRetry: ({ error, attempt }) => {
      heard.push(`${error.status} again after ${attempt}`);
      throw new Error("a mistake in a hook");
    },
  });
  const complaints = await quietly("error", async () => {
    await client.pets.list();
  });
  equal(heard, ["GET listPets 1", "503 1", "503 again after 1", "GET listPets 2", "200 2"]);
  equal(keys, [null, null], "the keys that a hook sees");
  equal(sent, ["attempt=1", "attempt=2"], "what a hook adds to the headers");
  equal(/hook/.test(complaints.join()), true, "the mistake in a hook is told");
};

export const aDeprecatedOperationWarnsOnce = async ({ store, equal }: Everywhere): Promise<void> => {
  const client = store({ onDeprecated: undefined });
  const { id } = await client.pets.create({ name: "Rex", categoryId: 1 });
  const warnings = await quietly("warn", async () => {
    for (let i = 0; i < 3; i++) await client.pets.get(id);
    await client.pets.list({ id });
  });
  equal([warnings.length, /getPet is deprecated .* 2030-12-05/.test(warnings[0] ?? "")], [1, true], warnings.join());
};

export const ownFetchAndOwnHeadersAreUsed = async ({ store, equal }: Everywhere): Promise<void> => {
  const asked: string[] = [];
  const client = store({
    headers: { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01" },
    userAgent: "front-desk/2.1",
    fetch: (url, init) => {
      const headers = new Headers(init.headers);
      asked.push(new URL(url).pathname, headers.get("traceparent") ?? "", headers.get("user-agent") ?? "");
      return fetch(url, init);
    },
  });
  await client.key();
  equal(asked.slice(0, 2), ["/v1/key", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"]);
  equal(/^front-desk\/2\.1 animal-store-client\/\d/.test(asked[2] ?? ""), true, asked[2]);
};

export const theEnvironmentSetsUpAClientWhereThereIsOne = async (env: Everywhere): Promise<void> => {
  const { AnimalStore, equal, runtime } = env;
  if (runtime === "Chromium" || runtime === "workerd") {
    const made = await Promise.resolve()
      .then(() => new AnimalStore())
      .then(String, String);
    equal(/^TypeError: baseUrl is missing/.test(made), true, made);
  } else equal((await new AnimalStore().key()).plan, "enterprise");
};

/** Captures what is written to the console during some work. */
async function quietly(level: "warn" | "error", work: () => Promise<void>): Promise<string[]> {
  const said: string[] = [];
  const { console } = globalThis;
  const original = console[level];
  Object.assign(console, { [level]: (...texts: unknown[]) => void said.push(texts.join(" ")) });
  try {
    await work();
  } finally {
    Object.assign(console, { [level]: original });
  }
  return said;
}
