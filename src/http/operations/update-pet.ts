import { animalTag } from "../../domain/stock/animal.ts";
import { operation } from "../declare/operation.ts";
import { idInPath } from "../declare/parameters.ts";
import { PET_IN_ORDER, PET_NOT_FOUND } from "../faults/faults.ts";
import { PET, PET_UPDATE, PETS_TAG, petJson, UPDATED_EXAMPLE } from "../wire/pet.ts";

export const updatePet = operation({
  name: "updatePet",
  method: "PATCH",
  path: "/pets/{petId}",
  tag: PETS_TAG,
  scope: "pets:write",
  summary: "Correct an animal",
  description:
    "Changes what the body has and leaves the rest as it is. While an open order holds the animal, its status follows that order and cannot be changed here; its name and category can.",
  parameters: { petId: idInPath("The animal's id.", 42, PET_NOT_FOUND) },
  body: PET_UPDATE,
  idempotency: true,
  success: {
    status: 200,
    description: "The animal as it is now.",
    schema: PET,
    examples: { corrected: UPDATED_EXAMPLE },
  },
  faults: [PET_IN_ORDER],
  perform: ({ parameters: { petId }, body, precondition, idempotencyKey }, { animals }) =>
    animals.update({ id: petId, ...body, precondition }, idempotencyKey),
  render: (animal) => ({ body: petJson(animal), tag: animalTag(animal) }),
  refuse: ({ kind }) => (kind === "no_such_animal" ? PET_NOT_FOUND : PET_IN_ORDER),
});
