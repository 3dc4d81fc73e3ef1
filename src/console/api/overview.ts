import type { AnimalStatus } from "../../domain/stock/animal.ts";
import type { OpenOrderStatus } from "../../domain/stock/order.ts";
import type { Instance, InstanceState } from "../../domain/usage/instance.ts";
import type { Count } from "./common.ts";
import type { WindowView } from "./keys.ts";
import type { UsageSeriesView } from "./usage.ts";

/** GET /console/api/frame: the numbers beside every page. */
export interface FrameView {
  /** Each of these is null while it is not known yet; the number of keys, also for those who do not see them. */
  readonly keys: number | null;
  readonly animals: Count | null;
  readonly openOrders: Count | null;
  /** The number of those that are alive, at least this one, and their distinct versions. */
  readonly instances: number;
  readonly versions: readonly string[];
  /** The number of alerts. */
  readonly alerts: number;
}

/** Something that needs attention. Lists have the worst first. */
export interface Alert {
  readonly level: "warning" | "problem";
  /** A short sentence: "Redis does not answer." */
  readonly title: string;
  /** The consequences. */
  readonly meaning: string;
  /** A path of the documentation in the repository, or a page of the console. */
  readonly remedy: string;
  /** When it began, or was first seen; null: not known. */
  readonly sinceMs: number | null;
}

export interface InstanceView extends Omit<Instance, "stoppedAtMs" | "consoleUrl" | "consoleDirectUrl"> {
  readonly state: InstanceState;
}

/** GET /console/api/overview?span=hour|day|month, or ?from=&until= in milliseconds */
export interface OverviewView {
  readonly usage: UsageSeriesView;
  /** Null for those who do not see keys, and for a period that is too long to be summed up by key. */
  readonly busiest: BusiestView | null;
  readonly animals: Readonly<Record<AnimalStatus, Count>> | null;
  readonly openOrders: Readonly<Record<OpenOrderStatus, Count>> | null;
  readonly instances: readonly InstanceView[];
  /** "SQLite, /srv/…/animal-store.db, 1.2 GB" as data. */
  readonly store: { readonly kind: "sqlite" | "postgres"; readonly place: string; readonly bytes: number | null };
  readonly alerts: readonly Alert[];
  /** Null for those who issue no keys, and while the keys are not known yet. */
  readonly firstSteps: FirstStepsView | null;
  readonly nowMs: number;
}

/** What a new store needs before it is of use. */
export interface FirstStepsView {
  /** Another key than the operator's, which the first start issues. */
  readonly hasKey: boolean;
  readonly hasAnimals: boolean;
  readonly hasRequests: boolean;
}

export interface BusiestView {
  readonly keys: readonly BusyKeyView[];
  /** When they were summed up; null: that is still going on. */
  readonly asOfMs: number | null;
}

export interface BusyKeyView {
  readonly keyId: string;
  /** Null: it has been deleted. */
  readonly name: string | null;
  readonly requests: number;
  readonly clientErrors: number;
  readonly refused: number;
  readonly failed: number;
  readonly today: WindowView | null;
}
