import { Mistake } from "../../base/mistake.ts";

// DNS rebinding: a stranger's page can let its own name lead to this machine, and then asks it from a browser here.

const IPV4 = /^\d+\.\d+\.\d+\.\d+$/;

/** Parses "store.internal, …". Names are normalized to what browsers send. */
export function parseHostNames(text: string): readonly string[] | Mistake {
  const entries = text
    .split(",")
    .map((part) => part.trim())
    .filter((entry) => entry !== "");
  const names = entries.map((entry) => {
    const url = URL.parse(`http://${entry}`);
    return url?.href === `http://${url?.hostname}/` && !/[/:@*]/.test(entry) ? url.hostname : undefined;
  });
  return names.every((name) => name !== undefined)
    ? names
    : new Mistake("must be a comma-separated list of host names without ports, such as store.internal");
}

/** Returns whether a URL has one of these names for its host, or one that no stranger can own: an address, or one without a dot. */
export function hasKnownHost(url: string | undefined, names: readonly string[]): boolean {
  const sent = url === undefined ? undefined : URL.parse(url)?.hostname;
  if (sent === undefined) return false;
  const hostname = withoutRoot(sent);
  return !hostname.includes(".") || IPV4.test(hostname) || names.some((name) => withoutRoot(name) === hostname);
}

/** A name with a dot at its end ("localhost.") is the same one, only that no search domain is tried. */
const withoutRoot = (name: string): string => name.replace(/(?<=[^.])\.$/, "");
