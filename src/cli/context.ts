import { type Config, readConfig } from "../config.ts";
import { OperatorError } from "../domain/fault.ts";
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
