import { ANIMAL_STATUSES } from "../../domain/animal.ts";
import { BODY_MAX_BYTES } from "../body.ts";
import { LIST_IDS_MAX } from "../pets.ts";
import { errors, ownErrors, READ_ERRORS, WRITE_ERRORS } from "./errors.ts";
import {
  curlSample,
  headerRefs,
  IDEMPOTENCY_KEY,
  int64Parameter,
  type Json,
  jsonContent,
  pageParameters,
  schemaRef,
  success,
} from "./parts.ts";

export const petPaths = (publicUrl: string): Json => ({
  "/pets": { get: listPets(publicUrl), post: createPet(publicUrl) },
  "/pets/{petId}": { get: getPet() },
});

const REX = { id: 42, name: "Rex", categoryId: 7, status: "available" };
const MIA = { id: 43, name: "Mia", categoryId: 3, status: "available" };

const listPets = (publicUrl: string): Json => ({
  operationId: "listPets",
  summary: "List animals",
  description:
    "Animals by ascending id, a page at a time. The `Link` header has the next page's URL while there is one; pages stay stable while animals are added.",
  tags: ["Pets"],
  parameters: [
    ...pageParameters(),
    {
      name: "status",
      in: "query",
      description: "Return only animals with this status.",
      schema: schemaRef("PetStatus"),
      example: ANIMAL_STATUSES[0],
    },
    int64Parameter("categoryId", "Return only animals of this category.", 7),
    {
      name: "id",
      in: "query",
      description: `Return only these animals, as far as they exist. Repeat it for more than one, up to ${LIST_IDS_MAX} times.`,
      schema: { type: "array", items: { type: "integer", format: "int64" }, maxItems: LIST_IDS_MAX },
      style: "form",
      explode: true,
      example: [42, 43],
    },
  ],
  responses: {
    200: success("A page of animals.", "Pets", { page: [REX, MIA], empty: [] }, "Link"),
    ...errors(...READ_ERRORS, "InvalidParameter"),
  },
  "x-codeSamples": curlSample(`curl -H "Authorization: Bearer $API_KEY" "${publicUrl}/pets?status=available"`),
});

const createPet = (publicUrl: string): Json => ({
  operationId: "createPet",
  summary: "Add an animal",
  description: `The answer comes after the animal is on disk. The body has at most ${BODY_MAX_BYTES} bytes; without a status the animal is available.`,
  tags: ["Pets"],
  parameters: [IDEMPOTENCY_KEY],
  requestBody: {
    required: true,
    content: jsonContent(schemaRef("NewPet"), {
      full: { name: "Rex", categoryId: 7, status: "pending" },
      least: { name: "Rex", categoryId: 7 },
    }),
  },
  responses: {
    201: success("The animal, with its id.", "Pet", { added: REX }, "Location", "Idempotency-Replayed"),
    ...errors(...WRITE_ERRORS, "InProgress", "IdempotencyMismatch"),
  },
  "x-codeSamples": curlSample(
    `curl -H "Authorization: Bearer $API_KEY" -H "Content-Type: application/json" \\\n  -d '{"name":"Rex","categoryId":7}' "${publicUrl}/pets"`,
  ),
});

const getPet = (): Json => ({
  operationId: "getPet",
  summary: "Get an animal",
  description:
    "Deprecated, and removed on 5 December 2030: from then on the answer is 410. Use `GET /pets` with the status filter, or with `id`, instead.",
  deprecated: true,
  tags: ["Pets"],
  parameters: [
    {
      name: "petId",
      in: "path",
      required: true,
      description: "The animal's id. What is no canonical int64 is answered with 404.",
      schema: { type: "integer", format: "int64" },
      example: 42,
    },
  ],
  responses: Object.fromEntries(
    Object.entries({
      200: success("The animal.", "Pet", { found: REX }),
      ...ownErrors(...READ_ERRORS, "InvalidParameter", "PetNotFound", "OperationRemoved"),
    }).map(([status, response]) => [status, withDeprecation(response)]),
  ),
});

/** The headers of a deprecated operation stand on all of its responses. */
const withDeprecation = (response: Json): Json => ({
  ...response,
  headers: {
    ...(response.headers as Json),
    ...headerRefs("Deprecation", "Sunset", ["Link", "DeprecationLink"]),
  },
});
