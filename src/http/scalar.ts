import manifest from "../../package.json" with { type: "json" };

export const SCALAR_PACKAGE = "@scalar/fastify-api-reference";

/** Where the reference's script is served: the version makes it safe to keep for ever. */
export const SCALAR_PATH = `/docs/scalar-${manifest.dependencies[SCALAR_PACKAGE]}.js`;
