import { expect, test } from "bun:test";
import type { BunRequest, Server } from "bun";
import { openConsole } from "../../test/harness/service/console-parts.ts";
import { sqlite } from "../../test/harness/service/stores.ts";
import { OperatorError } from "../base/operator-error.ts";
import { EVERYBODY } from "../domain/console-role.ts";
import { newConsoleSecret, newSessionSecret } from "../domain/console-session.ts";
import { digestOf } from "../domain/keys/key.ts";
import { StoreUnavailable } from "../store/ports/store.ts";
import { ATTEMPTS_PER_MINUTE } from "./auth/attempts.ts";
import { createApi } from "./dispatcher.ts";
import { ConsoleFault } from "./fault.ts";
import { allow, type ConsoleHandler, type ConsoleRoutes } from "./handler.ts";
import { BackgroundTasks } from "./jobs/background.ts";

const CALLER = { address: "192.0.2.1", origin: "http://store.example.com", requestId: "r1" };

/** Returns the API's answer to one request of somebody who is signed in, and what it logs. */
async function answerOf(
  handler: ConsoleHandler,
  init: { method?: string; body?: string | ReadableStream; headers?: Record<string, string> } = {},
) {
  const { parts, store } = await openConsole(sqlite);
  const [token, secret] = [newConsoleSecret(), newSessionSecret(parts.clock.nowMs())];
  const expiresAtMs = parts.clock.nowMs() + 60_000;
  const author = { by: "t", via: "command", atMs: 1 } as const;
  await store.sessions.makeLink({ ...author, digest: digestOf(token), name: "Anna", role: "operator", expiresAtMs });
  const linkDigest = digestOf(token);
  await store.sessions.signIn({ linkDigest, atMs: 1, digest: digestOf(secret), expiresAtMs });
  const reported: unknown[] = [];
  const failures = { report: (...args: unknown[]) => void reported.push(args) };
  const { method = "GET" } = init;
  const routes = { "/it": { [method]: allow(EVERYBODY, handler) } } as ConsoleRoutes;
  const api = createApi({ ...parts, failures }, routes, () => CALLER);
  const headers = { Cookie: `animal_store_console=${secret}`, Origin: CALLER.origin, ...init.headers };
  const request = new Request("http://store.example.com/console/api/it?a=1", { ...init, headers });
  const routed = Object.assign(request, { params: { id: "7" } }) as unknown as BunRequest;
  const response = await api["/console/api/it"]?.(routed, {} as Server<undefined>);
  return { response: response as Response, reported };
}

test("sessions that an address makes up after its attempts share a query, and a valid one among them is found", async () => {
  const { parts, store } = await openConsole(sqlite);
  const [token, secret] = [newConsoleSecret(), newSessionSecret(parts.clock.nowMs())];
  const expiresAtMs = parts.clock.nowMs() + 60_000;
  const linkDigest = digestOf(token);
  await store.sessions.makeLink({
    by: "t",
    via: "command",
    atMs: 1,
    digest: linkDigest,
    name: "Anna",
    role: "operator",
    expiresAtMs,
  });
  await store.sessions.signIn({ linkDigest, atMs: 1, digest: digestOf(secret), expiresAtMs });
  let queries = 0;
  const counted =
    <Args extends unknown[], Result>(ask: (...args: Args) => Result) =>
    (...args: Args): Result => {
      queries++;
      return ask(...args);
    };
  const { get, digests } = store.sessions;
  const sessions = { ...store.sessions, get: counted(get), digests: counted(digests) };
  const routes = { "/it": { GET: allow(EVERYBODY, () => undefined) } };
  const api = createApi({ ...parts, store: { ...store, sessions } }, routes, () => CALLER);
  const ask = async (session = newConsoleSecret()): Promise<number | undefined> => {
    const headers = { Cookie: `animal_store_console=${session}` };
    const request = new Request("http://store.example.com/console/api/it", { headers }) as BunRequest;
    return (await api["/console/api/it"]?.(request, {} as Server<undefined>))?.status;
  };
  for (let i = 0; i < ATTEMPTS_PER_MINUTE; i++) expect(await ask()).toBe(401);
  queries = 0;
  const made = Array.from({ length: 50 }, () => ask());
  expect(await ask(secret)).toBe(204);
  expect(new Set(await Promise.all(made))).toEqual(new Set([429]));
  expect(queries).toBeLessThanOrEqual(5);
});

test("a view is JSON, nothing is 204, and a response stays what it is; all have the headers of the API", async () => {
  const view = await answerOf((_, { name }, { params, query }) => ({ name, id: params.id, a: query.get("a") }));
  expect([view.response.status, await view.response.json()]).toEqual([200, { name: "Anna", id: "7", a: "1" }]);
  const nothing = await answerOf(() => undefined);
  expect([nothing.response.status, await nothing.response.text()]).toEqual([204, ""]);
  const file = await answerOf(
    () => new Response("a,b", { status: 202, headers: { "Content-Type": "text/csv", "Cache-Control": "public" } }),
  );
  expect([file.response.status, file.response.headers.get("content-type")]).toEqual([202, "text/csv"]);
  for (const { response } of [view, nothing, file]) {
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(response.headers.get("x-request-id")).toBe("r1");
    // The session was about to end.
    expect(response.headers.get("set-cookie")).toContain("Max-Age=43200");
  }
});

test("a fault is what the person is told, with its field and its headers", async () => {
  const fault = new ConsoleFault(409, "taken", "Choose another.", { field: "name", headers: { "Retry-After": "1" } });
  const { response, reported } = await answerOf(() => fault);
  expect([response.status, response.headers.get("retry-after")]).toEqual([409, "1"]);
  expect(await response.json()).toEqual({ code: "taken", message: "Choose another.", field: "name" });
  expect(reported).toEqual([]);
});

test.each([
  ["a malfunction", new TypeError("of ask_secret"), 500, "internal_error", "the service log has the details"],
  ["a store that is away", new StoreUnavailable("the disk is full"), 503, "service_unavailable", "nothing was changed"],
  [
    "an answer that was lost",
    new StoreUnavailable("lost", { changed: "unknown" }),
    503,
    "service_unavailable",
    "before you try again",
  ],
] as const)("%s is logged with the request, and not told", async (_, error, status, code, words) => {
  const { response, reported } = await answerOf(() => {
    throw error;
  });
  const body = (await response.json()) as { code: string; message: string };
  expect([response.status, body.code]).toEqual([status, code]);
  expect(body.message).toContain(words);
  expect(JSON.stringify(body)).not.toContain(error.message);
  expect(reported).toEqual([
    ["console: request failed", error, { requestId: "r1", method: "GET", path: "/console/api/it" }],
  ]);
});

test("what the operator can mend is said as on the command line, as a sentence, and logged", async () => {
  const error = new OperatorError("Redis redis.example.com:6379 does not answer: start it, or set REDIS_URL");
  const { response, reported } = await answerOf(() => {
    throw error;
  });
  expect([response.status, await response.json()]).toEqual([
    503,
    {
      code: "service_unavailable",
      message: "Redis redis.example.com:6379 does not answer: start it, or set REDIS_URL.",
    },
  ]);
  expect(reported).toHaveLength(1);
});

test("a form is JSON in which integers are exact; what is streamed is left to the handler", async () => {
  const json = { "Content-Type": "application/json" };
  const reading: ConsoleHandler = async (_, __, call) => {
    const form = await call.form();
    return form instanceof ConsoleFault ? form : { id: String((form as { id: bigint }).id) };
  };
  const form = await answerOf(reading, {
    method: "POST",
    headers: json,
    body: '{"id":9007199254740993}',
  });
  expect(await form.response.json()).toEqual({ id: "9007199254740993" });
  const streaming: ConsoleHandler = async (_, __, { request }) => ({ text: await request.text() });
  const stream = await answerOf(streaming, { method: "POST", body: "a;b".repeat(20_000) });
  expect(await stream.response.json()).toEqual({ text: "a;b".repeat(20_000) });
  const wrong = await answerOf(reading, { method: "POST", body: "a", headers: { "Content-Type": "text/csv" } });
  expect(wrong.response.status).toBe(415);
  const none = await answerOf(reading, { method: "PATCH" });
  expect(none.response.status).toBe(415);
});

test("what a session may do ends with it, also while a form of its is arriving", async () => {
  const json = { "Content-Type": "application/json" };
  let endSession = async () => {};
  let changes = 0;
  const changing: ConsoleHandler = async ({ store }, session, call) => {
    endSession = () => store.sessions.signOut(session);
    expect(await call.hasSession()).toBe(true);
    const form = await call.form();
    expect(await call.hasSession()).toBe(false);
    if (form instanceof ConsoleFault) return form;
    changes++;
    return undefined;
  };
  // The last part of the body is sent once the session has ended.
  const body = new ReadableStream(
    {
      async pull(controller) {
        await endSession();
        controller.enqueue(new TextEncoder().encode("{}"));
        controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  const { response } = await answerOf(changing, { method: "POST", headers: json, body });
  expect([response.status, await response.json()]).toMatchObject([401, { code: "signed_out" }]);
  expect(changes).toBe(0);
});

test("a body that is not read to its end is the last of its connection", async () => {
  const endless = new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array([32])) });
  const headers = { "Content-Type": "application/json" };
  const { response } = await answerOf((_, __, { form }) => form() as Promise<object>, {
    method: "POST",
    headers,
    body: endless,
  });
  expect([response.status, response.headers.get("connection")]).toEqual([413, "close"]);
});

test("a background task keeps the thread until it has ended, is told to stop, and its failure is logged", async () => {
  const reported: unknown[][] = [];
  const background = new BackgroundTasks({ report: (...args: unknown[]) => void reported.push(args) });
  expect(background.isIdle).toBe(true);
  const gate = Promise.withResolvers<void>();
  background.run("counting failed", () => gate.promise);
  expect(background.isIdle).toBe(false);
  gate.reject(new Error("no"));
  while (!background.isIdle) await Bun.sleep(1);
  expect(reported).toEqual([["counting failed", new Error("no")]]);
  let wasTold = false;
  background.run("never", async (signal) => {
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    wasTold = true;
    throw new Error("stopped");
  });
  await background.stop();
  expect([wasTold, background.isIdle, reported.length]).toEqual([true, true, 1]);
});
