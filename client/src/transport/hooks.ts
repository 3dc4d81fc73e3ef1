import { checkFunction, mistake } from "../mistake.ts";
import type { Operation } from "../operation.ts";
import type { AnimalStoreOptions, Logger, RequestEvent } from "../options.ts";
import { linkTo } from "../wire/links.ts";

type HookName = "onRequest" | "onResponse" | "onRetry" | "onFailure" | "onDeprecated";

type EventOf<Name extends HookName> = Parameters<NonNullable<AnimalStoreOptions[Name]>>[0];

/** Calls a hook if it is set, and logs. The event comes in two parts, merged only then, because few clients have hooks. */
type Tell = <Name extends keyof typeof LOGGED, About extends Partial<EventOf<Name>>>(
  name: Name,
  about: About & { readonly operation: string },
  more: Omit<EventOf<Name>, keyof About>,
) => void;

const LEVELS = ["debug", "info", "warn", "error", "off"] as const;

/** The line of the log about an event, with the index of its level. */
const LOGGED = {
  onRequest: [0, "is sent"],
  onResponse: [0, "was answered"],
  onRetry: [1, "will be sent again"],
  onFailure: [1, "failed"],
} as const;

export type Hooks = ReturnType<typeof createHooks>;

/** Calls the hooks of a client, and writes its log. */
export function createHooks(options: AnimalStoreOptions) {
  const { logger = console, logLevel = "warn" } = options;
  const least = LEVELS.indexOf(logLevel);
  if (least < 0) throw mistake("logLevel", logLevel, `It must be one of ${LEVELS.join(", ")}`);
  for (const level of LEVELS.slice(0, -1)) checkFunction(`logger.${level}`, Object(logger)[level]);
  const deprecated = new Set<string>();

  const log = (level: 0 | 1 | 2 | 3, message: string, ...details: readonly unknown[]): void => {
    try {
      if (level >= least) logger[LEVELS[level] as keyof Logger](`animal-store-client: ${message}`, ...details);
    } catch {
      // A log that cannot be written must not fail the call.
    }
  };

  /** Hooks' errors, async ones too, are caught: they must not make a completed write look like a failed one. */
  const guard = <Event>(name: string, hook: (event: Event) => void, event: Event): void => {
    (async () => hook(event))().catch((error) => log(3, `the ${name} hook failed.`, error));
  };

  const tell: Tell = (name, about, more): void => {
    const hook = options[name] as ((event: object) => void) | undefined;
    const [level, what] = LOGGED[name];
    if (hook) guard(name, hook, { ...about, ...more });
    if (level >= least) log(level, `${about.operation} ${what}.`, { ...about, ...more, headers: undefined });
  };

  /** Returns the headers as onRequest leaves them. It never sees the API key, and cannot change the idempotency key. */
  const announce = (about: RequestEvent, headers: Record<string, string>): Record<string, string> => {
    if (!options.onRequest && least > 0) return headers;
    const sent = new Headers(headers);
    tell("onRequest", about, { headers: sent });
    const key = headers["idempotency-key"];
    if (key) sent.set("idempotency-key", key);
    return Object.fromEntries(sent);
  };

  /** Reports the deprecation headers of a response, once per operation. */
  const noteDeprecation = (operation: Operation, headers: Headers): void => {
    if (deprecated.has(operation) || !headers.has("deprecation")) return;
    deprecated.add(operation);
    const sunset = Date.parse(headers.get("sunset") ?? "");
    const removedAt = sunset ? new Date(sunset) : undefined;
    const when = removedAt ? ` and ends on ${removedAt.toISOString().slice(0, 10)}` : "";
    const link = linkTo("deprecation", headers.get("link"));
    const message = `${operation} is deprecated${when}.${link ? ` See ${link}` : ""}`;
    if (options.onDeprecated) guard("onDeprecated", options.onDeprecated, { operation, removedAt, message });
    else log(2, message);
  };

  return [tell, announce, noteDeprecation, guard] as const;
}
