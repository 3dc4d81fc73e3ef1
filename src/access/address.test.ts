import { describe, expect, test } from "bun:test";
import { Mistake } from "../base/mistake.ts";
import { clientAddress, parseTrustedProxies, type TrustedNetworks, trustedProxies } from "./address.ts";

const none = undefined;
const trusted = trustedProxies(parseTrustedProxies("127.0.0.1, 10.0.0.0/8, fd00::/8") as TrustedNetworks);

describe("clientAddress", () => {
  test("without trusted proxies it is the peer, whatever it claims", () => {
    expect(clientAddress("192.0.2.1", "198.51.100.7", none)).toBe("192.0.2.1");
  });

  test("behind trusted proxies it is the nearest address that is none of them", () => {
    expect(clientAddress("127.0.0.1", "198.51.100.7", trusted)).toBe("198.51.100.7");
    expect(clientAddress("127.0.0.1", "203.0.113.9, 198.51.100.7, 10.1.2.3", trusted)).toBe("198.51.100.7");
    expect(clientAddress("fd00::1", "198.51.100.7", trusted)).toBe("198.51.100.7");
    expect(clientAddress("192.0.2.1", "198.51.100.7", trusted)).toBe("192.0.2.1");
  });

  test("a forged or broken header never makes up an address", () => {
    expect(clientAddress("127.0.0.1", "198.51.100.7, evil", trusted)).toBe("127.0.0.1");
    expect(clientAddress("127.0.0.1", "", trusted)).toBe("127.0.0.1");
    expect(clientAddress("127.0.0.1", "10.0.0.1", trusted)).toBe("10.0.0.1");
  });

  test("IPv6 counts by its /64, however it is written", () => {
    const network = "2001:db8:1:2::/64";
    for (const address of ["2001:db8:1:2::1", "2001:0DB8:0001:0002:ffff:0:0:1", "2001:db8:1:2:3:4:5:6"])
      expect(clientAddress(address, null, none)).toBe(network);
    expect(clientAddress("::1", null, none)).toBe("0:0:0:0::/64");
    expect(clientAddress("fe80::1%eth0", null, none)).toBe("fe80:0:0:0::/64");
    expect(clientAddress("64:ff9b::192.0.2.1", null, none)).toBe("64:ff9b:0:0::/64");
    expect(clientAddress("2001:db8:1:3::1", null, none)).not.toBe(network);
  });

  test("an IPv4 address that came over IPv6 counts as IPv4", () => {
    for (const address of ["::ffff:192.0.2.1", "::FFFF:c000:201", "0:0:0:0:0:ffff:192.0.2.1"])
      expect(clientAddress(address, null, none)).toBe("192.0.2.1");
    expect(clientAddress("::ffff:127.0.0.1", "198.51.100.7", trusted)).toBe("198.51.100.7");
  });
});

test("parseTrustedProxies takes addresses and networks, and nothing else", () => {
  for (const entry of ["10.0.0.0/33", "10.0.0", "localhost", "::1/129", "10.0.0.0/8/8", "10.0.0.0/", "10.0.0.0/-1"])
    expect(parseTrustedProxies(`127.0.0.1, ${entry}`)).toBeInstanceOf(Mistake);
  expect(parseTrustedProxies("127.0.0.1, ::1, 10.0.0.0/8,")).not.toBeInstanceOf(Mistake);
  expect(parseTrustedProxies("")).toBeUndefined();
});
