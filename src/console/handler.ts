import type { Awaitable } from "../base/time/awaitable.ts";
import type { SystemTime } from "../base/time/clock.ts";
import type { Roles } from "../domain/console-role.ts";
import type { ConsoleSession } from "../domain/console-session.ts";
import type { EnvironmentName } from "../domain/environment.ts";
import type { Caller } from "../http/pages/console/relay.ts";
import type { RequestLogParts } from "../http/pipeline/request-log.ts";
import type { FindCounters } from "../keys/queries/counters.ts";
import type { AnimalSnapshot, Store } from "../store/ports/store.ts";
import type { DatabaseUrl } from "../store/urls/database-url.ts";
import type { ConsoleCache } from "./cached/cache.ts";
import type { ConsoleFault } from "./fault.ts";
import type { BackgroundTasks } from "./jobs/background.ts";
import type { ImportJobs } from "./jobs/import-jobs.ts";
import type { NameIndexing } from "./jobs/name-indexing.ts";

/** The settings of the console's thread: plain data. */
export interface ConsoleSettings {
  readonly environment: EnvironmentName;
  readonly version: string;
  readonly database: DatabaseUrl;
  /** The base address that clients use, if it is set. */
  readonly publicUrl: string | undefined;
  /** The host names under which it answers, beside those that no stranger can own. */
  readonly knownHostNames: readonly string[];
  /** The origin of the API for clients on this machine. */
  readonly apiOrigin: string;
  /** The path of the console as browsers see it, without a trailing slash: a proxy may have put a prefix before it. */
  readonly base: string;
  /** True: it listens on a port of its own. */
  readonly isApart: boolean;
  /** The limit of the API's listener; undefined: the console has its own listener. */
  readonly uploadMaxBytes: number | undefined;
  readonly bodyTimeoutMs: number;
  readonly logRequests: boolean;
  /** The days for which requests of keys are kept; 0: they are not. */
  readonly requestDays: number;
}

export interface ConsoleParts extends Pick<RequestLogParts, "log" | "failures" | "refusals"> {
  readonly settings: ConsoleSettings;
  readonly store: Store;
  readonly clock: SystemTime;
  readonly background: Pick<BackgroundTasks, "run">;
  /** Finds the counters of requests: in Redis, or in the store. */
  readonly counters: FindCounters;
  /** Opens a snapshot of all animals for an export; undefined: too many are open. */
  readonly openSnapshot: () => Promise<AnimalSnapshot | undefined>;
  readonly cache: ConsoleCache;
  readonly imports: ImportJobs;
  readonly nameIndexing: NameIndexing;
}

/** A request, as a handler gets it. */
export interface ConsoleCall {
  /** The decoded parameters of the path: `id` of /keys/:id. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /**
   * Reads the JSON of the body, with integers as bigints. Resolves to a ConsoleFault if there is none, or if the session
   * has ended meanwhile.
   */
  readonly form: () => Promise<unknown>;
  /** Returns whether the session is still there, for what takes longer than a moment. */
  readonly hasSession: () => Promise<boolean>;
  /** For handlers that stream the body. */
  readonly request: Request;
  readonly caller: Caller;
}

export interface SignedIn extends ConsoleSession {
  /** The digest of the secret in the cookie. */
  readonly digest: string;
}

/** A view is sent as JSON, undefined as 204, and a Response as it is, with our headers added. */
export type ConsoleAnswer = object | Response | ConsoleFault | undefined;

export type ConsoleHandler = (parts: ConsoleParts, session: SignedIn, call: ConsoleCall) => Awaitable<ConsoleAnswer>;

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** A handler, and who may call it: nobody whose role is not named. */
export interface ConsoleRoute {
  readonly roles: Roles;
  readonly handle: ConsoleHandler;
}

export const allow = (roles: Roles, handle: ConsoleHandler): ConsoleRoute => ({ roles, handle });

/** Routes by path below /console/api, and by method. */
export type ConsoleRoutes = Readonly<Record<`/${string}`, { readonly [Name in Method]?: ConsoleRoute }>>;
