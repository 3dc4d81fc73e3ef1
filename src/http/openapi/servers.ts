import { type EnvironmentName, otherEnvironment } from "../../domain/environment.ts";
import type { PublicUrls } from "../declare/operation.ts";

/** An environment as the document and the reference offer it. */
export interface DocumentServer {
  readonly url: string;
  readonly description: string;
}

const NAMES: Readonly<Record<EnvironmentName, string>> = { production: "Production", staging: "Staging" };

/** Both environments of the contract, as far as they are known: this one first. */
export function serversOf({
  publicUrl,
  environment,
  otherUrl,
}: PublicUrls): readonly [own: DocumentServer, other?: DocumentServer] {
  const own = { url: publicUrl, description: `${NAMES[environment]}: this service` };
  if (otherUrl === undefined) return [own];
  const other = NAMES[otherEnvironment(environment)];
  // Browsers send no requests from one to the other.
  return [own, { url: otherUrl, description: `${other}: try requests in its own reference, ${docsOf(otherUrl)}` }];
}

const docsOf = (url: string): string => url.replace(/v1$/, "docs");
