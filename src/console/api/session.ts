import type { ConsoleSession } from "../../domain/console-session.ts";
import type { EnvironmentName } from "../../domain/environment.ts";

/** GET /console/api/session: who is signed in, and where. */
export interface SessionView extends ConsoleSession {
  readonly environment: EnvironmentName;
  readonly version: string;
  /** The base address that clients use. */
  readonly publicUrl: string;
  /** The time of the server, so that the pages can show ages. */
  readonly nowMs: number;
  /** The largest file that can be uploaded; null: any. */
  readonly uploadMaxBytes: number | null;
}

/** POST /console/api/session: exchanges the token of a link. 204 with the cookie. */
export interface SignIn {
  readonly token: string;
}

/** DELETE /console/api/session signs out here, and DELETE /console/api/sessions everybody everywhere. 204. */
