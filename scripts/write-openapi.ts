import { openapiDocument } from "../src/http/openapi/document.ts";
import type { ApiDocument } from "./api-document.ts";
import { clientTypes } from "./client-types.ts";

/** The committed document is the one that a service with the default settings serves. */
const document = openapiDocument({
  publicUrl: "http://127.0.0.1:8080/v1",
  docsUrl: "http://127.0.0.1:8080/docs",
  environment: "production",
  otherUrl: undefined,
});
const text = `${JSON.stringify(document, null, 2)}\n`;
await Bun.write("openapi.json", text);
await Bun.write("client/src/wire/types.ts", clientTypes(JSON.parse(text) as ApiDocument));
