import type { Server } from "bun";
import { isTrustedProxy, type TrustedProxies } from "../../access/address.ts";
import type { PublicUrls } from "../declare/operation.ts";

interface AddressSettings extends Pick<PublicUrls, "environment" | "otherUrl"> {
  /** The base address that all clients use; undefined: each uses the host that it names. */
  readonly publicUrl: string | undefined;
}

/** Knows the addresses under which the client of a request finds the service. */
export interface Addresses {
  /** Returns the same object for the same addresses, as long as they are in use. */
  urlsFor(request: Request, server: Server<undefined>): PublicUrls;
  /** Returns the cache key of a reply: it differs whenever the URL or those addresses do. */
  cacheKeyFor(request: Request, server: Server<undefined>): string;
}

/** Without a public address, links lead to the requested host: a client must not take its key to another one. */
export function createAddresses(settings: AddressSettings, proxies: TrustedProxies): Addresses {
  if (settings.publicUrl === undefined) return new AskedAddresses(settings, proxies);
  const urls = urlsAt(settings.publicUrl, settings);
  return { urlsFor: () => urls, cacheKeyFor: ({ url }) => url };
}

const urlsAt = (publicUrl: string, { environment, otherUrl }: AddressSettings): PublicUrls => ({
  publicUrl,
  docsUrl: publicUrl.replace(/v1$/, "docs"),
  environment,
  otherUrl,
});

/** Bounds the addresses in use: pages and header templates are kept for each. Few services have as many names. */
const MAX_ORIGINS = 16;
/** The longest host name, and a port. */
const HOST_MAX_CHARACTERS = 253 + ":65535".length;
/** A name, or an IP address (IPv6 in brackets). No character has a meaning in a header, in HTML or in a shell. */
const SANE_HOST = /^(?:[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_.])?|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?$/i;
const SCHEMES = ["http", "https"];

/** A path alone leads to the requested host, whatever that is. */
const WITHOUT_HOST = "/v1";

class AskedAddresses implements Addresses {
  /** The addresses by requested origin. */
  readonly #known = new Map<string, PublicUrls>();
  #latestPeer: string | undefined;
  #isLatestTrusted = false;

  constructor(
    private readonly settings: AddressSettings,
    private readonly proxies: TrustedProxies,
  ) {}

  urlsFor(request: Request, server: Server<undefined>): PublicUrls {
    const origin = this.#forwardedOrigin(request, server) ?? originOf(request.url);
    return this.#known.get(origin) ?? this.#learn(origin);
  }

  /** A URL begins with the requested host, and has no space in it. */
  cacheKeyFor(request: Request, server: Server<undefined>): string {
    const forwarded = this.#forwardedOrigin(request, server);
    return forwarded === undefined ? request.url : `${forwarded} ${request.url}`;
  }

  #learn(origin: string): PublicUrls {
    if (this.#known.size >= MAX_ORIGINS) this.#known.clear();
    const urls = urlsAt(publicUrlAt(origin), this.settings);
    this.#known.set(origin, urls);
    return urls;
  }

  /** The origin that the client requested from a trusted proxy; undefined: no such proxy is in between. */
  #forwardedOrigin(request: Request, server: Server<undefined>): string | undefined {
    if (!this.proxies) return undefined;
    const forwardedHost = request.headers.get("x-forwarded-host");
    const forwardedProto = request.headers.get("x-forwarded-proto");
    if (forwardedHost === null && forwardedProto === null) return undefined;
    if (!this.#isFromProxy(server.requestIP(request)?.address ?? "")) return undefined;
    const named = lastOf(forwardedHost);
    const host = isSaneHost(named) ? named : hostOf(originOf(request.url));
    const proto = lastOf(forwardedProto).toLowerCase();
    return `${SCHEMES.includes(proto) ? proto : "http"}://${host}`;
  }

  /** Caches the last answer: most requests come from the same proxy, and the look-up takes some microseconds. */
  #isFromProxy(peer: string): boolean {
    if (peer !== this.#latestPeer) {
      this.#latestPeer = peer;
      this.#isLatestTrusted = isTrustedProxy(peer, this.proxies);
    }
    return this.#isLatestTrusted;
  }
}

/** The last of several values is that of the trusted proxy: the others may have come from the client. */
const lastOf = (header: string | null): string => (header ?? "").slice((header ?? "").lastIndexOf(",") + 1).trim();

/** The origin of a URL; empty without a host: Bun leaves it out when the Host header has none. */
const originOf = (url: string): string => url.slice(0, Math.max(0, url.indexOf("/", "https://".length)));
const hostOf = (origin: string): string => origin.slice(origin.indexOf("//") + 2);

const isSaneHost = (host: string): boolean => host.length <= HOST_MAX_CHARACTERS && SANE_HOST.test(host);

function publicUrlAt(origin: string): string {
  const url = isSaneHost(hostOf(origin)) ? URL.parse(origin) : null;
  return url ? `${url.origin}/v1` : WITHOUT_HOST;
}
