import { type EnvironmentName, otherEnvironment } from "../../domain/environment.ts";
import type { PublicUrls } from "../declare/operation.ts";

const NAMES: Readonly<Record<EnvironmentName, string>> = { production: "Production", staging: "Staging" };

/** Both environments of the contract, as far as they are known: this one first. */
export function serversOf({ publicUrl, environment, otherUrl }: PublicUrls) {
  const own = { url: publicUrl, description: `${NAMES[environment]}: this service` };
  if (otherUrl === undefined) return [own] as const;
  const other = NAMES[otherEnvironment(environment)];
  const docsUrl = otherUrl.replace(/v1$/, "docs");
  // Browsers send no requests from one to the other.
  return [own, { url: otherUrl, description: `${other}: try requests in its own reference, ${docsUrl}` }] as const;
}
