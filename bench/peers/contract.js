// The interface that the peers implement.

const STATUSES = ["available", "pending", "sold"];
const status = { type: "string", enum: STATUSES };

export const PET = {
  type: "object",
  required: ["id", "name", "categoryId", "status"],
  properties: {
    id: { type: "integer" },
    name: { type: "string" },
    categoryId: { type: "integer" },
    status,
  },
};

export const PETS = { type: "array", items: PET };

export const NEW_PET = {
  type: "object",
  required: ["name", "categoryId"],
  additionalProperties: false,
  properties: {
    name: { type: "string", minLength: 1, maxLength: 255 },
    categoryId: { type: "integer" },
    status,
  },
};

export const LIST_QUERY = {
  type: "object",
  additionalProperties: false,
  properties: {
    limit: { type: "integer", minimum: 1, maximum: 100, default: 20 },
    status,
    cursor: { type: "integer", minimum: 0 },
  },
};

export const PET_PARAMS = {
  type: "object",
  required: ["petId"],
  properties: { petId: { type: "integer" } },
};

export const ERROR = {
  type: "object",
  required: ["code", "message", "status"],
  properties: { code: { type: "string" }, message: { type: "string" }, status: { type: "integer" } },
};

export const error = (status, code, message) => ({ code, message, status });

export const UNAUTHORISED = error(401, "invalid_api_key", "Send a valid API key as: Authorization: Bearer <key>.");
export const NOT_FOUND = error(404, "pet_not_found", "There is no animal with this id.");
export const tooMany = (max) => error(429, "rate_limit_exceeded", `All ${max} requests of this minute are used.`);

/** The value of the Link header, for the next page. */
export function nextLink(petsUrl, { limit, status }, next) {
  const filter = status === undefined ? "" : `&status=${status}`;
  return `<${petsUrl}?limit=${limit}${filter}&cursor=${next}>; rel="next"`;
}
