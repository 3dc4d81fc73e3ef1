import { operation } from "../declare/operation.ts";
import { idInPath } from "../declare/parameters.ts";
import { PET_HAS_ORDERS, PET_NOT_FOUND } from "../faults/faults.ts";
import { PETS_TAG } from "../wire/pet.ts";

export const deletePet = operation({
  name: "deletePet",
  method: "DELETE",
  path: "/pets/{petId}",
  tag: PETS_TAG,
  scope: "pets:write",
  summary: "Remove an animal",
  description:
    "Removes an animal that was added by mistake; its id is never used again. An animal that was ever ordered stays, since its orders refer to it.",
  parameters: { petId: idInPath("The animal's id.", 42, PET_NOT_FOUND) },
  idempotency: true,
  success: { status: 204, description: "The animal was removed." },
  faults: [PET_HAS_ORDERS],
  perform: ({ parameters: { petId }, precondition, idempotencyKey }, { animals }) =>
    animals.delete({ id: petId, precondition }, idempotencyKey),
  render: () => ({ body: null }),
  refuse: ({ kind }) => (kind === "no_such_animal" ? PET_NOT_FOUND : PET_HAS_ORDERS),
});
