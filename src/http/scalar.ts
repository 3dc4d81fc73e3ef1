import manifest from "../../package.json" with { type: "json" };

/** Where the reference's script is served: the version makes it safe to keep for ever. */
export const SCALAR_PATH = `/docs/scalar-${manifest.dependencies["@scalar/fastify-api-reference"]}.js`;
