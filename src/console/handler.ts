import type { Awaitable } from "../base/time/awaitable.ts";
import type { SystemTime } from "../base/time/clock.ts";
import type { ConsoleSession } from "../domain/console-session.ts";
import type { EnvironmentName } from "../domain/environment.ts";
import type { Caller } from "../http/pages/console/relay.ts";
import type { FindCounters } from "../keys/queries/counters.ts";
import type { AnimalSnapshot, Store } from "../store/ports/store.ts";
import type { DatabaseUrl } from "../store/urls/database-url.ts";
import type { FailureLog, Log, RefusalLog } from "../telemetry/log.ts";
import type { ConsoleCache } from "./cached/cache.ts";
import type { ConsoleFault } from "./fault.ts";
import type { BackgroundTasks } from "./jobs/background.ts";
import type { ImportJobs } from "./jobs/import-jobs.ts";

/** What the console is told when its thread is started: plain data. */
export interface ConsoleSettings {
  readonly environment: EnvironmentName;
  readonly version: string;
  readonly database: DatabaseUrl;
  /** The base address that clients use, if it is set. */
  readonly publicUrl: string | undefined;
  /** Where the API listens, for those on this machine. */
  readonly apiOrigin: string;
  /** The path of the console as browsers see it, without a slash at its end: a proxy may have put something before it. */
  readonly base: string;
  /** Whether it listens on a port of its own. */
  readonly isApart: boolean;
  /** What the listener of the API lets through; undefined: it is not in between. */
  readonly uploadMaxBytes: number | undefined;
  readonly bodyTimeoutMs: number;
  readonly logRequests: boolean;
}

/** Everything that handlers work with. */
export interface ConsoleParts {
  readonly settings: ConsoleSettings;
  readonly store: Store;
  readonly clock: SystemTime;
  readonly log: Log;
  readonly failures: FailureLog;
  readonly refusals: RefusalLog;
  readonly background: Pick<BackgroundTasks, "run">;
  /** Where requests are counted. */
  readonly counters: FindCounters;
  /** All animals as they are at one moment, for an export; undefined: too many are on their way. */
  readonly openSnapshot: () => Promise<AnimalSnapshot | undefined>;
  /** What is found out beside requests, and files that are imported: of this thread. */
  readonly cache: ConsoleCache;
  readonly imports: ImportJobs;
}

/** What a request asks for. */
export interface ConsoleCall {
  /** Of the path: `id` of /keys/:id, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** The JSON of the body, in which integers that no number holds exactly are bigints; undefined without one. */
  readonly form: unknown;
  /** Only for what is streamed. */
  readonly request: Request;
  readonly caller: Caller;
}

/** Who is signed in. */
export interface SignedIn extends ConsoleSession {
  /** Of the secret in the cookie. */
  readonly digest: string;
}

/** A view is sent as JSON, undefined as 204, and a Response as it is, with our headers added. */
export type ConsoleAnswer = object | Response | ConsoleFault | undefined;

export type ConsoleHandler = (parts: ConsoleParts, session: SignedIn, call: ConsoleCall) => Awaitable<ConsoleAnswer>;

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Paths below /console/api. What is streamed reads the body of its request by itself. */
export type ConsoleRoutes = Readonly<
  Record<`/${string}`, { readonly [Name in Method]?: ConsoleHandler | { readonly stream: ConsoleHandler } }>
>;
