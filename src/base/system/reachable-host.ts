/** The host of a URL by which a client on this machine reaches a server that listens on an address, or on all. */
export function reachableHost(host: string): string {
  const reachable = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  return reachable.includes(":") ? `[${reachable}]` : reachable;
}

/** A server on such a host is reached only from this machine. */
export const isLoopback = (host: string): boolean =>
  /^(?:localhost|127(?:\.[0-9]{1,3}){3}|::1|::ffff:127(?:\.[0-9]{1,3}){3})$/i.test(host);
