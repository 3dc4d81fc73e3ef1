import { expect, test } from "bun:test";
import type { BunRequest, Server } from "bun";
import { openConsole } from "../../test/harness/service/console-parts.ts";
import { sqlite } from "../../test/harness/service/stores.ts";
import { createConsole } from "./server.ts";

const SERVER = {} as Server<undefined>;

test("what fails outside of all handlers is logged, and answered with all headers and without its cause", async () => {
  const { parts, failures } = await openConsole(sqlite);
  const { routes, fetch } = createConsole(parts, () => {
    throw new Error("nobody can tell who is calling");
  });
  const request = () => new Request("http://localhost/console/api/session") as BunRequest;
  for (const handle of [routes["/console/api/session"], routes["/console/assets/*"], fetch]) {
    const response = (await handle?.(request(), SERVER)) as Response;
    expect(response.status).toBe(500);
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(response.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(response.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
    expect(await response.text()).not.toContain("calling");
  }
  expect(failures).toHaveLength(3);
});
