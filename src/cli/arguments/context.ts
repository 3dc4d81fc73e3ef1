import { OperatorError } from "../../base/operator-error.ts";
import { type Clock, systemClock } from "../../base/time/clock.ts";
import { type Config, readConfig } from "../../config.ts";
import type { EnvironmentName } from "../../domain/environment.ts";
import type { Author } from "../../domain/journal.ts";
import { stateOfInstance } from "../../domain/usage/instance.ts";
import { countersOf, type FindCounters } from "../../keys/queries/counters.ts";
import { readTallies } from "../../meter/open.ts";
import { openForCommand } from "../../store/open.ts";
import type { KeyStore, Maintenance, Store } from "../../store/ports/store.ts";
import { authorOf } from "./author.ts";
import { readEnvFile } from "./env-file.ts";

/** The environment, and the .env file for what is not set there. */
export const readVariables = (): Readonly<Record<string, string | undefined>> => ({ ...readEnvFile(), ...process.env });

/** What is set. */
export const readSettings = (): ReturnType<typeof readConfig> => readConfig(readVariables());

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

/** Works on the database of the service, whether that is running or not. It must exist: no command makes one by mistake. */
export async function withStore<T>(work: (store: Store, config: Config) => Promise<T>): Promise<T> {
  const config = configFromEnvironment();
  const store = await openForCommand(config.DATABASE_URL, { create: false });
  try {
    return await work(store, config);
  } finally {
    await store.close();
  }
}

/** What the use-cases of keys work with. */
export interface KeyContext {
  readonly keys: KeyStore;
  readonly maintenance: Maintenance;
  readonly counters: FindCounters;
  readonly clock: Clock;
  /** Who makes the changes. */
  readonly author: Author;
  readonly environment: EnvironmentName;
  /** What the service that runs on this database says it is; undefined if none does. */
  readonly servedEnvironment: () => Promise<EnvironmentName | undefined>;
}

export const withKeys = <T>(work: (context: KeyContext) => Promise<T>): Promise<T> =>
  withStore((store, config) => {
    const { REDIS_URL: redisUrl, ENVIRONMENT: environment } = config;
    const inRedis = redisUrl && ((keyIds: readonly string[]) => readTallies(redisUrl, keyIds));
    const counters = countersOf(store, inRedis);
    return work({
      keys: store.keys,
      maintenance: store.maintenance,
      counters,
      clock: systemClock,
      environment,
      async servedEnvironment() {
        const nowMs = systemClock.nowMs();
        const alive = (await store.instances.list()).filter((each) => stateOfInstance(each, nowMs) === "alive");
        return alive.some((each) => each.environment === environment) ? environment : alive[0]?.environment;
      },
      // Only when it is asked for: to look up a user takes longer than to read a key.
      get author() {
        return authorOf(config);
      },
    });
  });
