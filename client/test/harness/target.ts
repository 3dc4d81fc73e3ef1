import { test } from "bun:test";
import { join } from "node:path";
import { atEnd } from "../../../test/harness/cleanup.ts";
import { callsTo } from "../../../test/harness/requests/send.ts";
import { type IssueOptions, startService, type TestService } from "../../../test/harness/service/service.ts";
import type * as testing from "../../src/testing.ts";
import { PACKED } from "./package.ts";

/** The testing kit as it is published. */
export const { createTestStore }: typeof testing = await import(join(PACKED.folder, "dist/testing.js"));

/** The target of the client's tests: the service, or the testing kit in its place. */
export type Target = Pick<TestService, "origin" | "boundless" | "call" | "issueKey">;

let isKit = false;

/** From now on, the target is the testing kit. */
export const useKit = (): void => {
  isKit = true;
};

/** A test of what the testing kit does not have, such as a database. */
export const testOfService = (name: string, work: () => Promise<void>): void => {
  if (!isKit) test(name, work);
};

export const startTarget = (): Promise<Target> => (isKit ? startKit() : startService());

/** Serves a test store, so that bare requests reach it too. */
export async function startKit(
  options?: testing.TestStoreOptions,
): Promise<Target & Omit<testing.TestStore, "issueKey">> {
  const kit = createTestStore(options);
  const server = Bun.serve({
    port: 0,
    async fetch({ url, method, headers, body }) {
      const { pathname, search } = new URL(url);
      const text = body ? await new Response(body).text() : null;
      return kit.fetch(new URL(pathname + search, kit.baseUrl).href, { method, headers, body: text });
    },
  });
  atEnd(() => server.stop(true));
  const origin = server.url.origin;
  const issueKey = async ({ expiresAtMs, mayRotate: rotation, ...key }: IssueOptions = {}) => {
    const expiresAt = expiresAtMs === undefined ? undefined : new Date(expiresAtMs);
    return { id: "", secret: kit.issueKey({ ...key, rotation, expiresAt }) };
  };
  const { secret: boundless } = await issueKey({ plan: "enterprise" });
  return { ...kit, origin, boundless, call: callsTo(`${origin}/v1`, boundless), issueKey };
}
