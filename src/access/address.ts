import { BlockList, isIP } from "node:net";

/** Whose word in X-Forwarded-For is believed. */
export type TrustedProxies = BlockList;

/** Reads "10.0.0.0/8, ::1, …". Returns the entry that is neither an address nor a network, if there is one. */
export function parseTrustedProxies(text: string): { proxies: TrustedProxies; mistake: string | undefined } {
  const proxies = new BlockList();
  for (const entry of text.split(",").map((part) => part.trim())) {
    if (entry === "") continue;
    const [address = "", prefix, ...rest] = entry.split("/");
    const version = isIP(address);
    const maxBits = version === 6 ? 128 : 32;
    const bits = prefix === undefined ? maxBits : /^[0-9]{1,3}$/.test(prefix) ? Number(prefix) : Number.NaN;
    if (version === 0 || rest.length > 0 || !(bits <= maxBits)) return { proxies, mistake: entry };
    proxies.addSubnet(address, bits, version === 6 ? "ipv6" : "ipv4");
  }
  return { proxies, mistake: undefined };
}

/**
 * Whom a request is counted for: the nearest address that is no trusted proxy. IPv6 is cut to its
 * /64, the least that one customer gets; all of an IPv4-mapped address counts as IPv4.
 */
export function clientAddress(peer: string, forwardedFor: string | null, proxies: TrustedProxies): string {
  let address = withoutMapping(peer);
  if (forwardedFor !== null) {
    const hops = forwardedFor.split(",");
    while (hops.length > 0 && isTrusted(address, proxies)) {
      const hop = withoutMapping((hops.pop() as string).trim());
      if (isIP(hop) === 0) break;
      address = hop;
    }
  }
  return isIP(address) === 6 ? networkOf(address) : address;
}

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

const withoutMapping = (address: string): string => MAPPED.exec(address)?.[1] ?? address;

const isTrusted = (address: string, proxies: TrustedProxies): boolean =>
  proxies.rules.length > 0 && proxies.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");

function networkOf(address: string): string {
  const [head = "", tail] = (address.split("%")[0] as string).split("::");
  const left = head === "" ? [] : head.split(":");
  const right = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? 0 : 8 - left.length - right.length - (address.includes(".") ? 1 : 0);
  const groups = [...left, ...Array<string>(Math.max(0, zeros)).fill("0"), ...right];
  const network = groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${network.join(":")}::/64`;
}
