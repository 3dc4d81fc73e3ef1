import { type Field, optional } from "../../base/json/fields.ts";
import { Mistake } from "../../base/mistake.ts";
import {
  OWN_OVERLAP_DEFAULT_SECONDS,
  OWN_OVERLAP_MAX_SECONDS,
  OWN_OVERLAP_MIN_SECONDS,
} from "../../domain/keys/rotation.ts";
import { bodyShape, moment, namedSchema } from "../declare/schema.ts";

// The rotation of one's own secret on the wire: its schemas.

const overlapField: Field<number> = {
  parse(value) {
    const isInRange =
      typeof value === "bigint" && value >= BigInt(OWN_OVERLAP_MIN_SECONDS) && value <= BigInt(OWN_OVERLAP_MAX_SECONDS);
    return isInRange
      ? Number(value)
      : new Mistake(
          `must be a whole number of seconds from ${OWN_OVERLAP_MIN_SECONDS} to ${OWN_OVERLAP_MAX_SECONDS}, such as ${OWN_OVERLAP_DEFAULT_SECONDS} for a day`,
        );
  },
  schema: { type: "integer", minimum: OWN_OVERLAP_MIN_SECONDS, maximum: OWN_OVERLAP_MAX_SECONDS },
};

export const ROTATION_REQUEST = bodyShape("SecretRotation", {
  description: "How a secret is to be replaced.",
  fields: { overlapSeconds: optional(overlapField, OWN_OVERLAP_DEFAULT_SECONDS) },
  describe: {
    overlapSeconds: {
      description: "How long the old secret keeps working, in seconds. Without it, for a day.",
      default: OWN_OVERLAP_DEFAULT_SECONDS,
      examples: [3600],
    },
  },
  examples: { hour: { overlapSeconds: 3600 } },
});

export const ROTATED_EXAMPLE = {
  id: "key_4fGh7KxQ2mZa",
  secret: "ask_0123456789abcdefghijABCDEFGHIJ1Rl2Yb",
  oldSecretExpiresAt: "2026-11-15T10:30:00.000Z",
};

export const ROTATED_KEY = namedSchema("RotatedKey", {
  type: "object",
  description: "A key with its new secret.",
  properties: {
    id: { type: "string", description: "What the operator knows it by. Not secret.", examples: [ROTATED_EXAMPLE.id] },
    secret: {
      type: "string",
      description: "The new secret. It is sent only now: store it before the old one stops working.",
      examples: [ROTATED_EXAMPLE.secret],
    },
    oldSecretExpiresAt: moment("From when on the old secret is no longer valid."),
  },
  required: ["id", "secret", "oldSecretExpiresAt"],
  examples: [ROTATED_EXAMPLE],
});
