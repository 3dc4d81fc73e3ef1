import { type Config, readConfig } from "../config.ts";
import { OperatorError } from "../domain/fault.ts";
import type { Tally } from "../domain/tally.ts";
import { openStore } from "../store/open.ts";
import type { Store } from "../store/store.ts";

/** The environment as a Config. Every mistake in it is reported at once. */
export function configFromEnvironment(): Config {
  const result = readConfig(process.env);
  if ("config" in result) return result.config;
  const { mistakes } = result;
  const lines = mistakes.map((mistake) => `  ${mistake}`);
  const title =
    mistakes.length === 1 ? "the configuration has a mistake" : `the configuration has ${mistakes.length} mistakes`;
  throw new OperatorError([`${title}:`, ...lines].join("\n"));
}

/** Works on the same database as the service, whether that runs or not. */
export async function withStore<T>(options: { create: boolean }, work: (store: Store) => Promise<T>): Promise<T> {
  const config = configFromEnvironment();
  const store = await openStore(config.DATABASE_URL, { create: options.create, serve: false, connections: 1 });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** What was last counted for a key: by a fleet in Redis, or as a service saved it in the store. */
export async function countedFor(store: Store, keyId: string): Promise<Tally | undefined> {
  const urls = configFromEnvironment().REDIS_URL;
  if (urls === undefined) return store.tallies.get(keyId);
  const { connectRedis, whenReady } = await import("../meter/redis-client.ts");
  const { readTally } = await import("../meter/redis.ts");
  const client = connectRedis(urls);
  try {
    await whenReady(client);
    return await readTally(client, keyId);
  } catch (error) {
    throw new OperatorError(`Redis does not answer: ${(error as Error).message}. Check REDIS_URL`);
  } finally {
    client.disconnect();
  }
}
