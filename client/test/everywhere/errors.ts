import type { Everywhere } from "./env.ts";

export const refusalsHaveTheCodeOfTheService = async (env: Everywhere): Promise<void> => {
  const { store, equal, failure, readingKey, poorKey } = env;
  const headers: Record<string, string | null> = {};
  const noting = (name: string) => ({
    onResponse: (event: { readonly headers: Headers }) => {
      headers[name] = event.headers.get(name);
    },
  });
  const told = async (promise: PromiseLike<unknown>): Promise<unknown[]> => {
    const { code, status, message, requestId, attempts } = await failure(promise);
    return [code, status, message.length > 10, typeof requestId, attempts];
  };
  const refused = (code: string, status: number): unknown[] => [code, status, true, "string", 1];
  const stranger = store({ apiKey: "pk_nobody", ...noting("www-authenticate") });
  equal(await told(stranger.pets.list()), refused("invalid_api_key", 401));
  equal(/invalid_token/.test(headers["www-authenticate"] ?? ""), true, "WWW-Authenticate");
  const reader = store({ apiKey: readingKey });
  equal(await told(reader.pets.create({ name: "x", categoryId: 1 })), refused("insufficient_scope", 403));
  equal(await told(store().pets.get("9223372036854775807")), refused("pet_not_found", 404));
  equal(await told(store().pets.create({ name: "", categoryId: 1 })), refused("invalid_value", 400));
  const { pets, orders } = store();
  const { id: petId } = await pets.create({ name: "Rex", categoryId: 1, status: "sold" });
  equal(await told(orders.place({ petId })), refused("pet_not_available", 409));
  const poor = store({ apiKey: poorKey, pacing: false, retries: 0, ...noting("retry-after") });
  await poor.key();
  const limited = await failure(poor.key());
  equal([limited.code, limited.status], ["rate_limit_exceeded", 429]);
  equal(limited.retryAfterMs, Number(headers["retry-after"]) * 1000, "retryAfterMs");
};

export const failuresWithoutAnAnswerAreToldApart = async (env: Everywhere): Promise<void> => {
  const { store, equal, failure, faulty, deadUrl } = env;
  const once = { retries: 0 };
  const dead = await failure(store({ baseUrl: deadUrl }).pets.list({}, once));
  equal([dead.code, dead.status ?? "none", dead.attempts], ["connection_failed", "none", 1]);
  equal(dead.message.includes(new URL(deadUrl).origin), true, `"${dead.message}" names the address`);
  // Deno itself repeats a request if its connection is closed without a response.
  for (const fault of ["drop", "lose", "truncate"] as const)
    equal(
      (await failure(store({ baseUrl: faulty(fault, fault) }).pets.list({}, once))).code,
      "connection_failed",
      fault,
    );
  const late = await failure(store({ baseUrl: faulty("hang"), timeoutMs: 50 }).pets.list({}, once));
  equal([late.code, /50 ms/.test(late.message)], ["timeout", true]);
  const page = await failure(store({ baseUrl: faulty("html") }).pets.list({}, once));
  equal([page.code, page.status], ["unexpected_response", 200]);
};

export const anAbortedCallEndsAtOnceWithTheReason = async (env: Everywhere): Promise<void> => {
  const { store, equal, failure, faulty } = env;
  const before = await failure(store().pets.list({}, { signal: AbortSignal.abort("no need") }));
  equal([before.code, before.cause], ["aborted", "no need"]);
  const underway = new AbortController();
  const onRequest = (): void => void setTimeout(() => underway.abort("changed my mind"), 20);
  const call = store({ baseUrl: faulty("hang"), onRequest }).pets.list({}, { signal: underway.signal });
  const during = await failure(call);
  equal([during.code, during.cause, during.attempts], ["aborted", "changed my mind", 1]);
  const waiting = new AbortController();
  const clock = {
    now: () => 0,
    sleep: (_: number, signal?: AbortSignal) =>
      new Promise<void>((wake) => signal?.addEventListener("abort", () => wake())),
  };
  const onRetry = (): void => void setTimeout(() => waiting.abort("enough"));
  const between = store({ baseUrl: faulty("503", "503"), onRetry, clock });
  const after = await failure(between.pets.list({}, { signal: waiting.signal }));
  equal([after.code, after.cause], ["aborted", "enough"]);
};

export const theKeyIsNeverShown = async (env: Everywhere): Promise<void> => {
  const { store, equal, failure, faulty, deadUrl, apiKey } = env;
  const client = store();
  const errors = [
    await failure(store({ baseUrl: deadUrl, retries: 0 }).pets.list()),
    await failure(store({ baseUrl: faulty("truncate"), retries: 0 }).pets.list()),
    await failure(client.pets.get(0)),
  ];
  const shown = [client, ...errors].flatMap((value) => [String(value), JSON.stringify(value), ...inspected(value)]);
  for (const { stack, cause } of errors) shown.push(String(stack), String(cause), String((cause as Error)?.stack));
  equal(
    shown.filter((text) => text.includes(apiKey) || text.includes("Bearer")),
    [],
  );
};

/** The runtime's own representations of a value, including hidden properties if possible. */
function inspected(value: unknown): string[] {
  const { Deno, Bun, process } = globalThis as Inspecting;
  const options = { depth: 9, showHidden: true };
  const util = process?.getBuiltinModule?.("node:util");
  return [Deno?.inspect(value, options), Bun?.inspect(value, options), util?.inspect(value, options)].map(String);
}

type Inspect = (value: unknown, options: object) => string;
interface Inspecting {
  readonly Deno?: { readonly inspect: Inspect };
  readonly Bun?: { readonly inspect: Inspect };
  readonly process?: { readonly getBuiltinModule?: (name: string) => { readonly inspect: Inspect } };
}
