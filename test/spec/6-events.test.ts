import { expect, test } from "bun:test";
import { openapiDocument } from "../../src/http/openapi/document.ts";

test("6 there are no events: the document has neither webhooks nor callbacks", () => {
  const document = openapiDocument("http://127.0.0.1:8080/v1");
  expect(document.webhooks).toBeUndefined();
  expect(JSON.stringify(document.paths)).not.toContain('"callbacks"');
});
