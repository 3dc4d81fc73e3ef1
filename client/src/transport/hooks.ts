import type { AnimalStoreOptions, DeprecationEvent, RequestEvent } from "../options.ts";

type HookName = "onRequest" | "onResponse" | "onRetry" | "onDeprecated";

type EventOf<Name extends HookName> = Parameters<NonNullable<AnimalStoreOptions[Name]>>[0];

/** Calls a hook, if there is one, with an event in two parts: few have any, so nothing is made of them before. */
type Tell = <Name extends HookName, About extends Partial<EventOf<Name>>>(
  name: Name,
  about: About,
  more: Omit<EventOf<Name>, keyof About>,
) => void;

/** Tells hooks what happens. */
export function createHooks(options: AnimalStoreOptions) {
  const hooks = { ...options, onDeprecated: options.onDeprecated ?? warn };
  const deprecated = new Set<string>();

  /** A mistake in a hook, also in an async one, must not make a write that was done look like one that was not. */
  const tell: Tell = (name, about, more): void => {
    const hook = hooks[name] as ((event: object) => void) | undefined;
    if (hook)
      (async () => hook({ ...about, ...more }))().catch((error) =>
        console.error(`animal-store-client: the ${name} hook failed.`, error),
      );
  };

  /** The headers as a hook leaves them. It never sees the key, whatever it keeps, and cannot have a write done twice. */
  const announce = (about: RequestEvent, headers: Record<string, string>): Record<string, string> => {
    if (!hooks.onRequest) return headers;
    const shown = new Headers(headers);
    tell("onRequest", about, { headers: shown });
    const key = headers["idempotency-key"];
    if (key) shown.set("idempotency-key", key);
    return Object.fromEntries(shown);
  };

  /** Tells, once for each operation, what the headers of an answer say about it. */
  const noteDeprecation = (operation: string, headers: Headers): void => {
    if (deprecated.has(operation) || !headers.has("deprecation")) return;
    deprecated.add(operation);
    const sunset = Date.parse(headers.get("sunset") ?? "");
    const removedAt = sunset ? new Date(sunset) : undefined;
    const when = removedAt ? ` and ends on ${removedAt.toISOString().slice(0, 10)}` : "";
    const link = /<([^>]*)>;\s*rel="?deprecation\b/.exec(headers.get("link") ?? "")?.[1];
    const message = `${operation} is deprecated${when}.${link ? ` See ${link}` : ""}`;
    tell("onDeprecated", { operation, removedAt, message }, {});
  };

  return [tell, announce, noteDeprecation] as const;
}

const warn = ({ message }: DeprecationEvent): void => {
  // biome-ignore lint/suspicious/noConsole: developers are to see it, wherever they look
  console.warn(`animal-store-client: ${message}`);
};
