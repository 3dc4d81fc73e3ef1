import { namedSchema } from "../declare/schema.ts";
import { FAULT_CODES } from "../faults/fault.ts";

/** The schema stays open, and so does the type of codes: generated clients must survive a new field or code. */
export const ERROR = namedSchema("Error", {
  type: "object",
  description: "The body of every error.",
  properties: {
    code: {
      type: "string",
      description: `Machine-readable. New codes may be added: for a code that you do not know, go by the status. The codes so far: ${FAULT_CODES.map((code) => `\`${code}\``).join(", ")}.`,
      "x-extensible-enum": FAULT_CODES,
      examples: ["pet_not_found"],
    },
    message: { type: "string", description: "For people: what is wrong, and what to do about it." },
    status: { type: "integer", description: "The HTTP status code.", minimum: 400, maximum: 599 },
  },
  required: ["code", "message", "status"],
});
