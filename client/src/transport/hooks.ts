import type { AnimalStoreOptions, DeprecationEvent, RequestEvent } from "../options.ts";
import { linkTo } from "../wire/links.ts";

type HookName = "onRequest" | "onResponse" | "onRetry" | "onDeprecated";

type EventOf<Name extends HookName> = Parameters<NonNullable<AnimalStoreOptions[Name]>>[0];

/** Calls a hook if it is set. Its event comes in two parts, merged only then, because few clients have hooks. */
type Tell = <Name extends HookName, About extends Partial<EventOf<Name>>>(
  name: Name,
  about: About,
  more: Omit<EventOf<Name>, keyof About>,
) => void;

/** Calls the hooks of a client. */
export function createHooks(options: AnimalStoreOptions) {
  const hooks = { ...options, onDeprecated: options.onDeprecated ?? warn };
  const deprecated = new Set<string>();

  /** Hooks' errors, async ones too, are caught: they must not make a completed write look like a failed one. */
  const tell: Tell = (name, about, more): void => {
    const hook = hooks[name] as ((event: object) => void) | undefined;
    if (hook)
      (async () => hook({ ...about, ...more }))().catch((error) =>
        console.error(`animal-store-client: the ${name} hook failed.`, error),
      );
  };

  /** Returns the headers as onRequest leaves them. It never sees the API key, and cannot change the idempotency key. */
  const announce = (about: RequestEvent, headers: Record<string, string>): Record<string, string> => {
    if (!hooks.onRequest) return headers;
    const shown = new Headers(headers);
    tell("onRequest", about, { headers: shown });
    const key = headers["idempotency-key"];
    if (key) shown.set("idempotency-key", key);
    return Object.fromEntries(shown);
  };

  /** Reports the deprecation headers of a response, once per operation. */
  const noteDeprecation = (operation: string, headers: Headers): void => {
    if (deprecated.has(operation) || !headers.has("deprecation")) return;
    deprecated.add(operation);
    const sunset = Date.parse(headers.get("sunset") ?? "");
    const removedAt = sunset ? new Date(sunset) : undefined;
    const when = removedAt ? ` and ends on ${removedAt.toISOString().slice(0, 10)}` : "";
    const link = linkTo("deprecation", headers.get("link"));
    const message = `${operation} is deprecated${when}.${link ? ` See ${link}` : ""}`;
    tell("onDeprecated", { operation, removedAt, message }, {});
  };

  return [tell, announce, noteDeprecation] as const;
}

const warn = ({ message }: DeprecationEvent): void => {
  // biome-ignore lint/suspicious/noConsole: the default is to warn developers on the console
  console.warn(`animal-store-client: ${message}`);
};
