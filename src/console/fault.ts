import type { OperatorError } from "../base/operator-error.ts";
import type { Awaitable } from "../base/time/awaitable.ts";
import type { Role, Roles } from "../domain/console-role.ts";
import { StoreUnavailable } from "../store/ports/store.ts";
import type { ConsoleError } from "./api/index.ts";

/** An intended failure, as the person at the screen sees it. It is returned: only malfunctions are thrown. */
export class ConsoleFault {
  constructor(
    readonly status: number,
    readonly code: string,
    /** Names the problem and the remedy, never an internal cause. */
    readonly message: string,
    readonly more: Pick<ConsoleError, "field" | "others"> & {
      readonly headers?: Readonly<Record<string, string>>;
    } = {},
  ) {}

  get body(): ConsoleError {
    const { code, message, more } = this;
    const { headers, ...aboutFields } = more;
    return { code, message, ...aboutFields };
  }
}

export const notFound = (code: string, message: string): ConsoleFault => new ConsoleFault(404, code, message);
const unavailable = (message: string): ConsoleFault => new ConsoleFault(503, "service_unavailable", message);

export const NO_SUCH_PATH = notFound("not_found", "There is nothing here. Go back to the overview.");
export const SIGNED_OUT = new ConsoleFault(
  401,
  "signed_out",
  "You are not signed in, or your session has ended. Create a new link with: npx animal-store console",
);
export const BAD_TOKEN = new ConsoleFault(
  401,
  "invalid_token",
  "This link no longer works: it has been used, or is more than ten minutes old. Create a new one with: npx animal-store console",
);
export const MISTYPED_TOKEN = new ConsoleFault(
  401,
  "invalid_token",
  "This link is incomplete or mistyped. Open the whole link, as the command printed it.",
);
export const roleRefused = (role: Role, [least, ...others]: Roles): ConsoleFault =>
  new ConsoleFault(
    403,
    "role_refused",
    `You are signed in as ${article(role)}, who may not do this. It takes the role ${[least, ...others].join(" or ")}: ask for a link by npx animal-store console --role ${others.at(-1) ?? least}`,
  );

const article = (role: Role): string => `${role === "operator" ? "an" : "a"} ${role}`;

export const FOREIGN_ORIGIN = new ConsoleFault(
  403,
  "foreign_origin",
  "The request did not come from a page of this console. Behind a proxy, set PUBLIC_URL, or set TRUSTED_PROXIES to its address.",
);
export const UNKNOWN_HOST = new ConsoleFault(
  421,
  "unknown_host",
  "The console does not answer under this host name. Open it by its address or that of PUBLIC_URL, or add the name to TRUSTED_HOSTS.",
);
export const MALFUNCTION = new ConsoleFault(
  500,
  "internal_error",
  "Something went wrong; the service log has the details. Try again.",
);
export const STORE_AWAY = unavailable(
  "The database does not answer at the moment, and nothing was changed. Try again in a moment.",
);
export const STORE_LOST = unavailable(
  "The database did not confirm the change in time. Check whether it was made before you try again.",
);

/** Shows a change that was made. If the store then cannot be read, the answer must not say that nothing was changed. */
export async function afterChange<View>(view: Awaitable<View>): Promise<View> {
  try {
    return await view;
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    throw new StoreUnavailable(error.message, { cause: error, changed: "unknown" });
  }
}

/** Makes a sentence of a text that the command line puts behind "error: ". */
export const sentence = (text: string): string =>
  `${text.slice(0, 1).toUpperCase()}${text.slice(1)}${/[.?!]$/.test(text) ? "" : "."}`;

/** A failure that the operator can fix, in the words of the command line. */
export const operatorFault = ({ message }: OperatorError): ConsoleFault => unavailable(sentence(message));

export const tooManyAttempts = (seconds: number): ConsoleFault =>
  new ConsoleFault(
    429,
    "too_many_attempts",
    `Too many requests without a valid sign-in from your address. Wait ${seconds} s.`,
    { headers: { "Retry-After": String(seconds) } },
  );

export const methodNotAllowed = (allow: string): ConsoleFault =>
  new ConsoleFault(405, "method_not_allowed", `This path supports only ${allow}.`, { headers: { Allow: allow } });
