import { OperatorError } from "../../base/operator-error.ts";
import { systemClock } from "../../base/time/clock.ts";
import { type Config, readConfig } from "../../config.ts";
import { type Instance, stateOfInstance } from "../../domain/usage/instance.ts";
import type { KeyContext } from "../../keys/queries/context.ts";
import { countersOf } from "../../keys/queries/counters.ts";
import { readTallies } from "../../meter/open.ts";
import { openForCommand } from "../../store/open.ts";
import type { Store } from "../../store/ports/store.ts";
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

/** Opens the database for the use-cases of keys. */
export const withKeys = <T>(work: (context: KeyContext, store: Store) => Promise<T>): Promise<T> =>
  withStore((store, config) => {
    const { REDIS_URL: redisUrl, ENVIRONMENT: environment } = config;
    const inRedis = redisUrl && ((keyIds: readonly string[]) => readTallies(redisUrl, keyIds));
    const { keys, maintenance } = store;
    const context: KeyContext = {
      keys,
      maintenance,
      counters: countersOf(store, inRedis),
      clock: systemClock,
      environment,
      // Computed on demand: looking up a user takes longer than reading a key.
      get author() {
        return authorOf(config);
      },
    };
    return work(context, store);
  });

/** The instances that serve the database now. */
export async function aliveInstances({ instances }: Store): Promise<readonly Instance[]> {
  const nowMs = systemClock.nowMs();
  return (await instances.list()).filter((instance) => stateOfInstance(instance, nowMs) === "alive");
}
