import { openapiDocument } from "../src/http/openapi/document.ts";

/** The committed document is the one that a service with the default settings serves. */
const document = openapiDocument({
  publicUrl: "http://127.0.0.1:8080/v1",
  docsUrl: "http://127.0.0.1:8080/docs",
  environment: "production",
  otherUrl: undefined,
});
await Bun.write("openapi.json", `${JSON.stringify(document, null, 2)}\n`);
