import { animalTag } from "../../domain/stock/animal.ts";
import { operation } from "../declare/operation.ts";
import { BODY_MAX_BYTES } from "../request/body.ts";
import { NEW_PET, PET, PET_EXAMPLE, PETS_TAG, petJson } from "../wire/pet.ts";

export const createPet = operation({
  name: "createPet",
  method: "POST",
  path: "/pets",
  tag: PETS_TAG,
  scope: "pets:write",
  summary: "Add an animal",
  description: `The response is sent once the animal is on disk. The body is at most ${BODY_MAX_BYTES} bytes long.`,
  parameters: {},
  body: NEW_PET,
  idempotency: true,
  success: {
    status: 201,
    description: "The animal, with its id.",
    schema: PET,
    examples: { added: PET_EXAMPLE },
    headers: ["Location"],
  },
  perform: ({ body, idempotencyKey }, { animals }) => animals.create(body, idempotencyKey),
  render: (animal, { publicUrl }) => ({
    body: petJson(animal),
    tag: animalTag(animal),
    headers: { Location: `${publicUrl}/pets/${animal.id}` },
  }),
});
