import manifest from "../../../package.json" with { type: "json" };

/** The script of the reference. The version in its path makes it safe to cache for ever. */
export const SCALAR_PATH = `/docs/scalar-${manifest.dependencies["@scalar/fastify-api-reference"]}.js`;

/** The page of whoever holds a key. Its files are below it. */
export const ACCOUNT_PATH = "/account";

/** The OpenAPI document, in 3.1 and in 3.0. Tools in browsers may load both from other origins. */
export const DOCUMENT_PATH = "/openapi.json";
export const DOCUMENT_30_PATH = "/openapi-3.0.json";
export const DOCUMENT_PATHS: readonly string[] = [DOCUMENT_PATH, DOCUMENT_30_PATH];

/** The script that starts the reference. */
export const REFERENCE_PATH = "/docs/reference.js";
