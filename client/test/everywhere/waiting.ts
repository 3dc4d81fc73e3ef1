import type { Everywhere } from "./env.ts";

export const whateverBreaksAWriteIsDoneOnce = async (env: Everywhere): Promise<void> => {
  const { store, equal, faulty } = env;
  const categoryId = 4_000_000_000 + Math.floor(Math.random() * 1e9);
  const faults = ["drop", "lose", "truncate", "502", "503", "504", "408", "429", "lose"] as const;
  const retried: (number | string)[] = [];
  const client = store({
    baseUrl: faulty(...faults),
    retries: faults.length,
    onRetry: ({ error }) => void retried.push(error.status ?? error.code),
  });
  const { data, attempts, isReplay } = await client.pets.create({ name: "Rex", categoryId }).withResponse();
  equal([attempts, isReplay], [retried.length + 1, true]);
  equal(retried.filter((status) => typeof status === "number").join(), "502,503,504,408,429");
  equal((await store().pets.list({ categoryId })).items, [data], "the animals that there are");
};

export const attemptsEndAndSayHowMany = async ({ store, equal, failure, faulty }: Everywhere): Promise<void> => {
  const down = store({ baseUrl: faulty("503", "503", "503", "503", "503") });
  const { attempts, status, idempotencyKey } = await failure(down.pets.create({ name: "x", categoryId: 1 }));
  equal([attempts, status, typeof idempotencyKey], [5, 503, "string"]);
  const late = store({ baseUrl: faulty("hang", "hang"), timeoutMs: 50, retries: 1 });
  equal((await failure(late.pets.list())).attempts, 2);
};

export const retryAfterIsObeyed = async ({ store, equal, faulty }: Everywhere): Promise<void> => {
  let elapsedMs = 0;
  const clock = {
    now: () => elapsedMs,
    sleep: async (ms: number) => {
      elapsedMs += ms;
    },
  };
  await store({ baseUrl: faulty("429"), clock }).pets.list();
  equal(elapsedMs >= 7_000, true, `a wait of ${elapsedMs} ms`);
};

export const manyCallsAtOnceRunIntoNoLimit = async (env: Everywhere): Promise<void> => {
  const { store, equal, failure, quickUrl, quickKey } = env;
  const statuses: Record<number, number> = {};
  const client = store({
    baseUrl: quickUrl,
    apiKey: quickKey,
    ...env.quickTime(),
    maxWaitMs: 3_600_000,
    onResponse: ({ status }) => {
      statuses[status] = (statuses[status] ?? 0) + 1;
    },
  });
  const { strikesLeft } = await client.key();
  await Promise.all(Array.from({ length: 100 }, () => client.pets.list({ limit: 1 })));
  equal(statuses, { 200: 101 }, "answers by status");
  equal((await client.key()).strikesLeft, strikesLeft, "the strikes that are left");
  // Sequential, so that no call waits and the clock does not advance.
  while (client.limits.windows.minute?.remaining) await client.pets.list({ limit: 1 });
  const { code, retryAfterMs = 0 } = await failure(client.pets.list({}, { maxWaitMs: 0 }));
  equal([code, retryAfterMs > 0], ["wait_too_long", true]);
};
