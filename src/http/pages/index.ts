import { lazy } from "../../base/lazy.ts";
import { NO_SUCH_PAGE } from "../faults/faults.ts";
import { isRead, type PublicPage } from "../pipeline/handler.ts";
import type { Addresses } from "../request/addresses.ts";
import type { ConsoleParts } from "./console/visitors.ts";
import { publicError, publicJson } from "./page.ts";
import { ACCOUNT_PATH, DOCUMENT_30_PATH, DOCUMENT_PATH, REFERENCE_PATH, SCALAR_PATH } from "./paths.ts";
import type { DocsPages } from "./reference/docs.ts";

export interface PageParts {
  readonly addresses: Addresses;
  readonly isReady: () => Promise<boolean>;
  /** Undefined: the console is off, or on a port of its own. */
  readonly console: ConsoleParts | undefined;
  /** True if the page for holders of keys, /account, is served. */
  readonly account: boolean;
}

/** Everything that needs no key: pages for people, and probes. */
export function publicPages(parts: PageParts) {
  const docs = lazy(async () =>
    (await import("./reference/docs.ts")).docsPages(parts.addresses, {
      console: parts.console !== undefined,
      account: parts.account,
    }),
  );
  const account = lazy(async () => (await import("./account/page.ts")).accountPages(parts.addresses));
  const docsPage =
    (name: keyof DocsPages): PublicPage =>
    async (request, server) =>
      (await docs())[name](request, server);
  const notFound = notFoundPage(docsPage("notFound"));
  const accountPage: PublicPage = async (request, server) => (await account()).page(request, server);
  const accountFile: PublicPage = async (request, server) =>
    (await (await account()).file(request)) ?? notFound(request, server);
  return {
    pages: {
      ...(parts.account ? { [ACCOUNT_PATH]: accountPage, [`${ACCOUNT_PATH}/:file`]: accountFile } : {}),
      "/": docsPage("landing"),
      "/docs": docsPage("docs"),
      [SCALAR_PATH]: docsPage("scalar"),
      [REFERENCE_PATH]: docsPage("reference"),
      [DOCUMENT_PATH]: docsPage("openapi"),
      [DOCUMENT_30_PATH]: docsPage("openapi30"),
      "/favicon.ico": docsPage("favicon"),
    },
    probes: {
      "/healthz": () => probe(200, "ok"),
      /** Ready: it can serve requests, and is not stopping. */
      "/readyz": async () => ((await parts.isReady()) ? probe(200, "ready") : probe(503, "not ready")),
    },
    notFound,
  };
}

const probe = (status: number, word: string): Response => publicJson(status, JSON.stringify({ status: word }));

/** A person gets a page with a way back, and a program the error that it can read. */
const notFoundPage =
  (page: PublicPage): PublicPage =>
  (request, server) =>
    isForPeople(request) ? page(request, server) : publicError(NO_SUCH_PAGE);

/** Returns whether a browser will show the response. */
const isForPeople = (request: Request): boolean =>
  isRead(request) &&
  /(?:^|,)\s*text\/html\s*(?:,|$|;(?!\s*q=0(?:\.0*)?\s*(?:,|$)))/i.test(request.headers.get("accept") ?? "");
