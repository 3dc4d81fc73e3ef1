import type { BlockList } from "node:net";
import { Mistake } from "../base/mistake.ts";
import { net } from "../base/runtime/network.ts";

/** The networks of the proxies whose X-Forwarded-For is trusted, as plain data; undefined: none. */
export type TrustedNetworks = readonly Network[] | undefined;

interface Network {
  readonly address: string;
  readonly bits: number;
  readonly family: "ipv4" | "ipv6";
}

/** The trusted networks, ready for lookups of addresses. */
export type TrustedProxies = BlockList | undefined;

const isIP = (text: string): number => net().isIP(text);

/** Reads "10.0.0.0/8, ::1, …". */
export function parseTrustedProxies(text: string): TrustedNetworks | Mistake {
  if (text.trim() === "") return undefined;
  const networks: Network[] = [];
  for (const entry of text.split(",").map((part) => part.trim())) {
    if (entry === "") continue;
    const [address = "", prefix, ...rest] = entry.split("/");
    const version = isIP(address);
    const maxBits = version === 6 ? 128 : 32;
    const bits = prefix === undefined ? maxBits : /^[0-9]{1,3}$/.test(prefix) ? Number(prefix) : Number.NaN;
    if (version === 0 || rest.length > 0 || !(bits <= maxBits))
      return new Mistake("must be a comma-separated list of addresses or networks, such as 127.0.0.1, 10.0.0.0/8");
    networks.push({ address, bits, family: version === 6 ? "ipv6" : "ipv4" });
  }
  return networks;
}

export function trustedProxies(networks: TrustedNetworks): TrustedProxies {
  if (!networks) return undefined;
  const proxies = new (net().BlockList)();
  for (const { address, bits, family } of networks) proxies.addSubnet(address, bits, family);
  return proxies;
}

/**
 * The address that a request is counted for: the nearest one that is not a trusted proxy. IPv6 is cut to its
 * /64, the smallest block that a customer gets; an IPv4-mapped address counts as IPv4.
 */
export function clientAddress(peer: string, forwardedFor: string | null, proxies: TrustedProxies): string {
  if (!proxies && !peer.includes(":")) return peer;
  let address = canonical(peer);
  if (forwardedFor !== null) {
    const hops = forwardedFor.split(",");
    while (hops.length > 0 && isTrusted(address, proxies)) {
      const hop = canonical((hops.pop() as string).trim());
      if (isIP(hop) === 0) break;
      address = hop;
    }
  }
  return isIP(address) === 6 ? `${address.split(":").slice(0, 4).join(":")}::/64` : address;
}

/** True: the request's connection comes from a trusted proxy, whoever it forwards for. */
export const isTrustedProxy = (peer: string, proxies: TrustedProxies): boolean => isTrusted(canonical(peer), proxies);

const isTrusted = (address: string, proxies: TrustedProxies): boolean =>
  proxies?.check(address, isIP(address) === 6 ? "ipv6" : "ipv4") ?? false;

/** Spells IPv6 in eight groups, without a zone. An IPv4-mapped address, however it is written, becomes the IPv4 one. */
function canonical(address: string): string {
  if (isIP(address) !== 6) return address;
  // A URL has all groups in hex, even those of an IPv4 address at the end.
  const { hostname } = new URL(`http://[${address.replace(/%.*/, "")}]`);
  const halves = hostname.slice(1, -1).split("::");
  const [left = [], right = []] = halves.map((half) => half.split(":").filter((group) => group !== ""));
  const groups = [...left, ...Array<string>(8 - left.length - right.length).fill("0"), ...right];
  if (groups.slice(0, 6).join() !== "0,0,0,0,0,ffff") return groups.join(":");
  const numbers = groups.slice(6).map((group) => Number.parseInt(group, 16));
  return numbers.flatMap((number) => [number >> 8, number & 0xff]).join(".");
}
