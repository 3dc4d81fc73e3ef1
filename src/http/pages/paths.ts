import manifest from "../../../package.json" with { type: "json" };

/** The script of the reference. The version in its path makes it safe to cache for ever. */
export const SCALAR_PATH = `/docs/scalar-${manifest.dependencies["@scalar/fastify-api-reference"]}.js`;

/** The OpenAPI document, which tools in browsers may load from other origins. */
export const DOCUMENT_PATH = "/openapi.json";

/** The script that starts the reference. */
export const REFERENCE_PATH = "/docs/reference.js";
