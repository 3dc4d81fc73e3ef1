import type { PublicUrls } from "../src/http/declare/operation.ts";
import { openapiDocument } from "../src/http/openapi/document.ts";
import { openapi30Document } from "../src/http/openapi/document-30.ts";
import type { ApiDocument } from "./api-document.ts";
import { clientTypes } from "./client-types.ts";

/** The committed documents are those that a service with the default settings serves. */
const urls: PublicUrls = {
  publicUrl: "http://127.0.0.1:8080/v1",
  docsUrl: "http://127.0.0.1:8080/docs",
  environment: "production",
  otherUrl: undefined,
};
const text = `${JSON.stringify(openapiDocument(urls), null, 2)}\n`;
await Bun.write("openapi.json", text);
await Bun.write("openapi-3.0.json", `${JSON.stringify(openapi30Document(urls), null, 2)}\n`);
await Bun.write("client/src/wire/types.ts", clientTypes(JSON.parse(text) as ApiDocument));
