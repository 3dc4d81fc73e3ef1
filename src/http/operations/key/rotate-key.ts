import type { Pass } from "../../../access/gate.ts";
import { unseal } from "../../../base/runtime/sealing.ts";
import { SECOND_MS } from "../../../base/time/clock.ts";
import { ROTATION } from "../../../domain/keys/scope.ts";
import { rotateOwnSecret } from "../../../keys/rotate-own.ts";
import { operation } from "../../declare/operation.ts";
import { rotationFault } from "../../faults/refusal-faults.ts";
import { KEY_TAG } from "../../wire/key.ts";
import { ROTATED_EXAMPLE, ROTATED_KEY, ROTATION_REQUEST } from "../../wire/rotation.ts";

const EXAMPLE_MS = Date.parse("2026-11-16T09:30:00Z");

export const rotateKey = operation({
  name: "rotateKey",
  method: "POST",
  path: "/key/rotate",
  tag: KEY_TAG,
  scope: ROTATION,
  isPersonal: true,
  summary: "Rotate your secret",
  description:
    "Gives the key that you call with a new secret, which is sent only now. The old one keeps working for the overlap, and shares the key's quotas. Only the newest secret may rotate, five times in 24 hours at most. Send an `Idempotency-Key`: if the response is lost, a retry with it and the same secret gets the new secret again, and nothing else does.",
  parameters: {},
  body: ROTATION_REQUEST,
  isBodyOptional: true,
  idempotency: true,
  success: {
    status: 200,
    description: "The new secret, and when the old one stops working.",
    schema: ROTATED_KEY,
    examples: { rotated: ROTATED_EXAMPLE },
  },
  faults: [rotationFault({ kind: "secret_replaced" }), rotationFault({ kind: "too_many", nextAtMs: EXAMPLE_MS })],
  perform({ body: { overlapSeconds }, caller, secret, idempotencyKey }, { keyStore, clock, environment }) {
    const request = {
      keyId: (caller as Pass).key.id,
      presented: secret as string,
      overlapMs: overlapSeconds * SECOND_MS,
    };
    return rotateOwnSecret({ keys: keyStore, clock, environment }, request, idempotencyKey);
  },
  render: ({ keyId, sealedSecret, oldSecretExpiresAtMs }, _, { secret: presented }) => ({
    body: JSON.stringify({
      id: keyId,
      secret: unseal(sealedSecret, presented as string, keyId),
      oldSecretExpiresAt: new Date(oldSecretExpiresAtMs).toISOString(),
    }),
  }),
  refuse: rotationFault,
});
