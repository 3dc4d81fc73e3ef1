import { isLoopback } from "../../base/system/reachable-host.ts";
import { type Finding, ok, warning } from "./checkup.ts";

/** The settings that say how clients reach the service. */
export interface PublicAddress {
  readonly host: string;
  readonly publicUrl: string | undefined;
  readonly hasTrustedProxies: boolean;
}

/** Checks that these settings fit each other. Clients that use https come through a proxy: the service has no TLS. */
export function checkPublicAddress({ host, publicUrl, hasTrustedProxies }: PublicAddress): Finding {
  if (publicUrl === undefined)
    return isLoopback(host)
      ? ok("none: only this machine is served")
      : warning(
          `PUBLIC_URL is not set, and HOST is ${host}: links lead to whatever host a request names`,
          "set PUBLIC_URL to the base address that clients use, such as https://api.example.com/v1",
        );
  const { protocol, hostname } = new URL(publicUrl);
  if (hasTrustedProxies || !(protocol === "https:" || isLoopback(host) !== isLoopback(hostname))) return ok(publicUrl);
  return warning(
    `${publicUrl} needs a proxy in front, and TRUSTED_PROXIES is not set: all callers without a key share its address, and one quota`,
    "set TRUSTED_PROXIES to the address of the proxy, such as 127.0.0.1",
  );
}
