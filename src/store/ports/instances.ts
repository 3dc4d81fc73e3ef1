import type { Awaitable } from "../../base/time/awaitable.ts";
import type { Instance } from "../../domain/usage/instance.ts";

/** The running services, and those that ran lately. */
export interface InstanceStore {
  /** Records what an instance says about itself, in place of what it said before. */
  note(instance: Instance): Promise<void>;
  /** Returns all instances, the one that was started first comes first. */
  list(): Awaitable<readonly Instance[]>;
}
