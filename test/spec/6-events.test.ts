import { expect, test } from "bun:test";
import { openapiDocument } from "../../src/http/openapi/document.ts";
import { DEFAULT_URLS } from "../harness/checks/openapi.ts";

test("6 there are no events: the document has neither webhooks nor callbacks", () => {
  const document = openapiDocument(DEFAULT_URLS);
  expect(document.webhooks).toBeUndefined();
  expect(JSON.stringify(document.paths)).not.toContain('"callbacks"');
});
