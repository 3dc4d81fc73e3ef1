import { type Config, readConfig } from "../config.ts";
import { type Clock, systemClock } from "../domain/clock.ts";
import { OperatorError } from "../domain/operator-error.ts";
import { countersOf, type FindCounters } from "../keys/counters.ts";
import { readTallies } from "../meter/open.ts";
import { openForCommand } from "../store/open.ts";
import type { KeyStore } from "../store/store.ts";
import { readEnvFile } from "./env-file.ts";

/** What is set: the environment, and the .env file for what is not set there. */
export const readSettings = (): ReturnType<typeof readConfig> => readConfig({ ...readEnvFile(), ...process.env });

/** What is set as a Config. Every mistake in it is reported at once. */
export function configFromEnvironment(): Config {
  const result = readSettings();
  if ("config" in result) return result.config;
  const { mistakes } = result;
  const lines = mistakes.map((mistake) => `  ${mistake}`);
  const title =
    mistakes.length === 1 ? "the configuration is invalid" : `the configuration has ${mistakes.length} errors`;
  throw new OperatorError([`${title}:`, ...lines].join("\n"));
}

/** What the use-cases of keys work with. */
export interface KeyContext {
  readonly keys: KeyStore;
  readonly counters: FindCounters;
  readonly clock: Clock;
}

/** Works on the database of the service, whether that is running or not. */
export async function withKeys<T>(
  options: { readonly create: boolean },
  work: (context: KeyContext) => Promise<T>,
): Promise<T> {
  const { DATABASE_URL: database, REDIS_URL: redisUrl } = configFromEnvironment();
  const store = await openForCommand(database, options);
  try {
    const inRedis = redisUrl && ((keyIds: readonly string[]) => readTallies(redisUrl, keyIds));
    return await work({ keys: store.keys, counters: countersOf(store, inRedis), clock: systemClock });
  } finally {
    await store.close();
  }
}
