/** A host, as it stands in a URL, by which a client on this machine reaches what listens on an address or on all. */
export function reachableHost(host: string): string {
  const reachable = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  return reachable.includes(":") ? `[${reachable}]` : reachable;
}

/** Whether only clients on this machine reach what listens on a host. */
export const isLoopback = (host: string): boolean =>
  /^(?:localhost|127(?:\.[0-9]{1,3}){3}|::1|::ffff:127(?:\.[0-9]{1,3}){3})$/i.test(host);
