import { openapiDocument } from "../src/http/openapi/document.ts";

/** The committed document: as a service with its default settings serves it. */
await Bun.write("openapi.json", `${JSON.stringify(openapiDocument("http://127.0.0.1:8080/v1"), null, 2)}\n`);
