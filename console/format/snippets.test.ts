import { expect, test } from "bun:test";
import { SCOPES, type Scope } from "../../src/domain/keys/scope.ts";
import { snippetsFor } from "./snippets.ts";

const API = "https://api.example.com/v1";

test.each<[readonly Scope[], string, string]>([
  [SCOPES, "/pets", "pets.list()"],
  [["pets:read"], "/pets", "pets.list()"],
  [["pets:write", "orders:read"], "/store/orders", "orders.list()"],
  [["pets:write", "orders:write"], "/key", "key()"],
])("the first request of a key with %j is one that it may send", (scopes, path, call) => {
  const [command, program] = snippetsFor(API, "ak_live_x", scopes).map(({ text }) => text);
  expect(command).toBe(`curl -H "Authorization: Bearer ak_live_x" ${API}${path}`);
  expect(program).toContain(`baseUrl: "${API}",\n  apiKey: "ak_live_x",\n`);
  expect(program?.endsWith(`\nconsole.log(await store.${call});`)).toBe(true);
});
