import type { PublicPage } from "../pipeline/handler.ts";
import { SAFE_HEADERS } from "./headers.ts";

/** healthz: the process answers. readyz: it can serve requests, and is not stopping. */
export function healthPages(isReady: () => Promise<boolean>): { healthz: PublicPage; readyz: PublicPage } {
  return {
    healthz: () => probe(200, "ok"),
    readyz: async () => ((await isReady()) ? probe(200, "ready") : probe(503, "not ready")),
  };
}

const probe = (status: number, word: string): Response =>
  new Response(JSON.stringify({ status: word }), {
    status,
    headers: { ...SAFE_HEADERS, "Content-Type": "application/json", "Cache-Control": "no-store" },
  });
