import { animalTag } from "../../domain/stock/animal.ts";
import { foundOr, operation } from "../declare/operation.ts";
import { idInPath } from "../declare/parameters.ts";
import { GET_PET_REMOVED, PET_NOT_FOUND } from "../faults/faults.ts";
import { PET, PET_EXAMPLE, PETS_TAG, petJson } from "../wire/pet.ts";

export const getPet = operation({
  name: "getPet",
  method: "GET",
  path: "/pets/{petId}",
  tag: PETS_TAG,
  scope: "pets:read",
  summary: "Get an animal",
  description:
    "Deprecated, and removed on 5 December 2030: from then on the response is 410. Use `GET /pets` with the status filter, or with `id`, instead.",
  parameters: { petId: idInPath("The animal's id.", 42, PET_NOT_FOUND) },
  deprecation: {
    sinceMs: Date.parse("2026-11-15T00:00:00Z"),
    removedAtMs: Date.parse("2030-12-05T00:00:00Z"),
    removed: GET_PET_REMOVED,
    successor: "/pets",
  },
  success: { status: 200, description: "The animal.", schema: PET, examples: { found: PET_EXAMPLE } },
  perform: ({ parameters: { petId } }, { animals }) => foundOr(PET_NOT_FOUND, animals.get(petId)),
  render: (animal) => ({ body: petJson(animal), tag: animalTag(animal), survivesAdditions: true }),
});
