import { SECOND_MS } from "../../base/time/clock.ts";
import { SESSION_LASTS_MS } from "../../domain/console-session.ts";
import type { SessionCookie } from "../../http/pages/console/session-cookie.ts";

/** Scripts cannot read it, other sites cannot send it, and /v1 never gets it. It lasts no shorter than the session. */
export const setCookie = ({ name, value, isSecure }: SessionCookie, base: string): string =>
  `${name}=${value}; ${attributes(base)}; Max-Age=${SESSION_LASTS_MS / SECOND_MS}${isSecure ? "; Secure" : ""}`;

/** A browser takes no cookie of a secure name without `Secure`, not even its end. */
export const clearCookie = ({ name, isSecure }: SessionCookie, base: string): string =>
  `${name}=; ${attributes(base)}; Max-Age=0${isSecure ? "; Secure" : ""}`;

const attributes = (base: string): string => `Path=${base}; HttpOnly; SameSite=Strict`;
