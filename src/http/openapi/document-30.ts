import type { PublicUrls } from "../declare/operation.ts";
import type { Json } from "./components.ts";
import { openapiDocument } from "./document.ts";

/** The same interface as an OpenAPI 3.0 document, for the tools and gateways that do not read 3.1. */
export function openapi30Document(urls: PublicUrls): Json {
  const { info, ...document } = openapiDocument(urls) as { info: Json };
  const { summary, license, ...described } = info as { summary: string; license: { name: string; identifier: string } };
  const { name, identifier } = license;
  return {
    ...(in30(document) as Json),
    openapi: "3.0.4",
    info: { ...described, license: { name, url: `https://spdx.org/licenses/${identifier}.html` } },
  };
}

/** A schema has one example, and only OAuth knows scopes: the descriptions of operations name them, too. */
function in30(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(in30);
  if (typeof node !== "object" || node === null || JSON.isRawJSON(node)) return node;
  return Object.fromEntries(
    Object.entries(node).map(([name, value]) => {
      if (name === "examples" && Array.isArray(value)) return ["example", value[0]];
      return [name, name === "security" ? [{ apiKey: [] }] : in30(value)];
    }),
  );
}
