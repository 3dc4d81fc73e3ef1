import { signal } from "@preact/signals";

// The address holds the state: the page and its filters. Links are real links; a click on one changes the address
// without reloading the page.

/** The path of the console. The server writes it into the page, because a proxy may add a prefix. */
export const BASE =
  (typeof document === "undefined" ? undefined : document.querySelector<HTMLMetaElement>("meta[name=console-base]"))
    ?.content ?? "/console";

export interface Address {
  /** The path below BASE, without a trailing slash: "" is the overview. */
  readonly path: string;
  readonly params: URLSearchParams;
}

/** Undefined for an address outside the console. */
export function addressOf(url: { readonly pathname: string; readonly search: string }): Address | undefined {
  const { pathname, search } = url;
  if (pathname !== BASE && !pathname.startsWith(`${BASE}/`)) return undefined;
  return { path: pathname.slice(BASE.length).replace(/\/+$/, ""), params: new URLSearchParams(search) };
}

/** The parameters of a pattern such as "/keys/:id"; undefined if the path does not match. */
export function match(pattern: string, path: string): Readonly<Record<string, string>> | undefined {
  const [wanted, given] = [pattern.split("/"), path.split("/")];
  if (wanted.length !== given.length) return undefined;
  const found: Record<string, string> = {};
  for (const [i, part] of wanted.entries()) {
    const text = given[i] as string;
    if (!part.startsWith(":")) {
      if (part !== text) return undefined;
      continue;
    }
    const value = decoded(text);
    if (!value) return undefined;
    found[part.slice(1)] = value;
  }
  return found;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

export type Params = Readonly<Record<string, string | number | null | undefined>>;

/** `path?params`, without empty parameters. */
export function withParams(path: string, params: Params): string {
  const given = Object.entries(params).filter(([, value]) => value !== null && value !== undefined && value !== "");
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return search === "" ? path : `${path}?${search}`;
}

/** The address of a page of the console. */
export const linkTo = (path: string, params: Params = {}): string => withParams(`${BASE}${path}`, params);

/** The address of this page with some filters changed. */
export const linkWith = ({ path, params }: Address, changes: Params): string =>
  linkTo(path, { ...Object.fromEntries(params), ...changes });

export const address = signal<Address>({ path: "", params: new URLSearchParams() });

/** While set, navigation needs its consent, because the page shows something that cannot be seen again. */
let mayLeave: (() => boolean) | undefined;

export function guardLeaving(guard: () => boolean): () => void {
  mayLeave = guard;
  return () => {
    mayLeave = undefined;
  };
}

/** Goes to another page, or to other filters of this one. Replacing adds no history entry, as while typing. */
export function navigate(href: string, { isReplacing = false } = {}): void {
  if (mayLeave && !mayLeave()) return;
  if (isReplacing) history.replaceState(null, "", href);
  else history.pushState(null, "", href);
  follow();
}

/** Reads the address from the browser. */
function follow(): void {
  const next = addressOf(location);
  if (!next) return;
  const isOtherPage = next.path !== address.value.path;
  address.value = next;
  if (isOtherPage) scrollTo(0, 0);
}

/** The target of a plain click on a link within the console, which we follow ourselves. */
function hrefClicked(event: MouseEvent): string | undefined {
  if (event.defaultPrevented || event.button !== 0) return undefined;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return undefined;
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  if (link?.target !== "" || link.hasAttribute("download") || link.origin !== location.origin) return undefined;
  if (link.hash !== "" && link.pathname === location.pathname) return undefined;
  const isPage = addressOf(link) !== undefined && !link.pathname.startsWith(`${BASE}/api/`);
  return isPage ? `${link.pathname}${link.search}` : undefined;
}

export function startRouter(): void {
  follow();
  let here = location.href;
  addEventListener("popstate", () => {
    if (mayLeave && !mayLeave()) history.pushState(null, "", here);
    else follow();
    here = location.href;
  });
  document.addEventListener("click", (event) => {
    const href = hrefClicked(event);
    if (href === undefined) return;
    event.preventDefault();
    navigate(href);
    here = location.href;
  });
}
