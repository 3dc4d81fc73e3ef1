import type { Clock } from "../../base/time/clock.ts";
import type { EnvironmentName } from "../../domain/environment.ts";
import type { Author } from "../../domain/journal.ts";
import type { KeyStore, Maintenance } from "../../store/ports/store.ts";
import type { FindCounters } from "./counters.ts";

/** The parts of the use-cases of keys: each takes those that it needs. */
export interface KeyContext {
  readonly keys: KeyStore;
  readonly maintenance: Maintenance;
  readonly counters: FindCounters;
  readonly clock: Clock;
  /** The author of changes, for the journal. */
  readonly author: Author;
  /** The prefix of new secrets depends on it. */
  readonly environment: EnvironmentName;
}

export type ChangeContext = Pick<KeyContext, "keys" | "clock" | "author">;
