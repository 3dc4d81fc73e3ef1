import { expect, test } from "bun:test";
import { checkPublicAddress } from "./public-address.ts";

const kindOf = (host: string, publicUrl?: string, hasTrustedProxies = false): string => {
  const finding = checkPublicAddress({ host, publicUrl, hasTrustedProxies });
  return finding.kind === "ok" ? "ok" : (/set (\w+)/.exec(String(finding.remedy))?.[1] ?? String(finding.remedy));
};

test("who serves other machines says under which address", () => {
  expect(["127.0.0.1", "::1", "localhost"].map((host) => kindOf(host))).toEqual(["ok", "ok", "ok"]);
  expect(["0.0.0.0", "::", "10.0.0.5"].map((host) => kindOf(host))).toEqual(Array(3).fill("PUBLIC_URL"));
  expect(kindOf("0.0.0.0", "http://api.example:8080/v1")).toBe("ok");
});

test("who is behind a proxy says whose forwarded addresses to trust", () => {
  expect(kindOf("0.0.0.0", "https://api.example/v1")).toBe("TRUSTED_PROXIES");
  expect(kindOf("127.0.0.1", "http://api.example/v1")).toBe("TRUSTED_PROXIES");
  expect(kindOf("127.0.0.1", "https://api.example/v1", true)).toBe("ok");
  expect(kindOf("127.0.0.1", "http://127.0.0.1:8080/v1")).toBe("ok");
});
