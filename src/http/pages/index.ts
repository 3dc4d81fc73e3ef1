import { lazy } from "../../domain/lazy.ts";
import type { PublicUrls } from "../operation.ts";
import type { DocsPages } from "./docs.ts";
import { healthPages } from "./health.ts";
import type { PublicPage } from "./page.ts";
import { SCALAR_PATH } from "./scalar.ts";

export interface PageParts extends PublicUrls {
  readonly isReady: () => Promise<boolean>;
}

/** Pages for people and probes, which need no key. */
export function publicPages(parts: PageParts): Record<string, PublicPage> {
  const docs = lazy(async () => (await import("./docs.ts")).docsPages(parts));
  const docsPage =
    (name: keyof DocsPages): PublicPage =>
    async () =>
      (await docs())[name]();
  const { healthz, readyz } = healthPages(parts.isReady);
  return {
    "/": docsPage("landing"),
    "/docs": docsPage("docs"),
    [SCALAR_PATH]: docsPage("scalar"),
    "/openapi.json": docsPage("openapi"),
    "/healthz": healthz,
    "/readyz": readyz,
  };
}
