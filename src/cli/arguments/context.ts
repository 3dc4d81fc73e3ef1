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

/** The environment, completed by the .env file. */
export const readVariables = (): Readonly<Record<string, string | undefined>> => ({ ...readEnvFile(), ...process.env });

export const readSettings = (): ReturnType<typeof readConfig> => readConfig(readVariables());

/** Reads the settings. Fails with an OperatorError that lists every mistake. */
export function configFromEnvironment(): Config {
  const result = readSettings();
  if ("config" in result) return result.config;
  const { mistakes } = result;
  const lines = mistakes.map((mistake) => `  ${mistake}`);
  const title =
    mistakes.length === 1 ? "the configuration is invalid" : `the configuration has ${mistakes.length} errors`;
  throw new OperatorError([`${title}:`, ...lines].join("\n"));
}

/** Opens the database, whether its service runs or not. It must exist: no command creates one by mistake. */
export async function withStore<T>(work: (store: Store, config: Config) => Promise<T>): Promise<T> {
  const config = configFromEnvironment();
  const store = await openForCommand(config.DATABASE_URL, { create: false });
  try {
    return await work(store, config);
  } finally {
    await store.close();
  }
}

/** The parts that the use-cases of keys need. */
export interface KeyContext {
  readonly keys: KeyStore;
  readonly maintenance: Maintenance;
  readonly counters: FindCounters;
  readonly clock: Clock;
  /** The author of changes, for the journal. */
  readonly author: Author;
  readonly environment: EnvironmentName;
  /** The environment of the service that runs on this database; undefined if none does. */
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
      // Computed on demand: looking up a user takes longer than reading a key.
      get author() {
        return authorOf(config);
      },
    });
  });
