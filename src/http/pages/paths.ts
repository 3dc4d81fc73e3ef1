import manifest from "../../../package.json" with { type: "json" };

/** Where the reference's script is served. The version makes it safe to cache for ever. */
export const SCALAR_PATH = `/docs/scalar-${manifest.dependencies["@scalar/fastify-api-reference"]}.js`;

/** Where the OpenAPI document is served, which tools in browsers may load from elsewhere. */
export const DOCUMENT_PATH = "/openapi.json";

/** Where the script is served that starts it. */
export const REFERENCE_PATH = "/docs/reference.js";
