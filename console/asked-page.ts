import { HOUR_MS } from "../src/base/time/clock.ts";
import { address, addressOf, BASE } from "./router.ts";
import { withStorage } from "./storage.ts";

// The page that a user asked for before signing in. It is kept for all tabs, because a sign-in link is opened in another
// one, and for a while only, because the next user of this browser may be somebody else.

const NAME = `${BASE} asked page`;
const KEPT_MS = HOUR_MS;

interface AskedPage {
  readonly href: string;
  readonly atMs: number;
}

/** Remembers the current page, but not the overview: every link leads there. */
export function rememberAskedPage(): void {
  if (address.value.path === "") return;
  const asked: AskedPage = { href: location.pathname + location.search, atMs: Date.now() };
  withStorage((storage) => storage.setItem(NAME, JSON.stringify(asked)));
}

export const forgetAskedPage = (): void => void withStorage((storage) => storage.removeItem(NAME));

/** Returns the address of the page, once. */
export function takeAskedPage(): string | undefined {
  const asked = withStorage((storage) => JSON.parse(storage.getItem(NAME) ?? "null") as AskedPage | null);
  forgetAskedPage();
  if (!asked || Date.now() - asked.atMs > KEPT_MS) return undefined;
  return addressOf(new URL(asked.href, location.origin)) && asked.href;
}
