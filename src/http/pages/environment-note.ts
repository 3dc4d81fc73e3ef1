import { type EnvironmentName, otherEnvironment } from "../../domain/environment.ts";
import type { PublicUrls } from "../declare/operation.ts";

/** The note on the environment: staging is impossible to overlook, and production links to it if it is known. */
export function environmentNote({ environment, otherUrl }: PublicUrls): string {
  const other = otherUrl === undefined ? "" : ` ${link(otherUrl, environment)}`;
  if (environment === "staging")
    return `<p class="staging" role="note"><strong>STAGING</strong>: a place to try things out.${other}</p>`;
  return other && `<p class="production">This is production.${other}</p>`;
}

/** Links to the landing page of the other environment. */
const link = (otherUrl: string, environment: EnvironmentName): string =>
  `<a href="${Bun.escapeHTML(otherUrl.replace(/v1$/, ""))}">Go to ${otherEnvironment(environment)}</a>`;
