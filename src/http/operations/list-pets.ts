import { ANIMAL_STATUSES } from "../../domain/animal.ts";
import { andThen } from "../../domain/awaitable.ts";
import { done } from "../../domain/result.ts";
import { operation, refuseNothing } from "../operation.ts";
import { arrayJson, linkToNext, PAGE_PARAMETERS } from "../paging.ts";
import { choiceParameter, int64ListParameter, int64Parameter } from "../parameters.ts";
import { OTHER_PET_EXAMPLE, PET_EXAMPLE, PET_STATUS, PETS, PETS_TAG, petJson } from "../wire/pet.ts";

const MAX_IDS = 100;

const parameters = {
  ...PAGE_PARAMETERS,
  status: choiceParameter("Return only animals with this status.", ANIMAL_STATUSES, PET_STATUS),
  categoryId: int64Parameter("Return only animals of this category.", 7),
  id: int64ListParameter(
    `Return only these animals, if they exist. Repeat it to ask for several, up to ${MAX_IDS} times.`,
    [42, 43],
    MAX_IDS,
  ),
};

export const listPets = operation({
  name: "listPets",
  method: "GET",
  path: "/pets",
  tag: PETS_TAG,
  summary: "List animals",
  description:
    "Animals by ascending id, one page at a time. While there is a next page, the `Link` header has its URL; pages stay stable while animals are added.",
  parameters,
  success: {
    status: 200,
    description: "A page of animals.",
    schema: PETS,
    examples: { page: [PET_EXAMPLE, OTHER_PET_EXAMPLE], empty: [] },
    optionalHeaders: ["Link"],
  },
  faults: [],
  sampleQuery: "status=available",
  perform: ({ parameters: { limit, cursor, status, categoryId, id } }, { animals }) =>
    andThen(animals.list({ size: limit, afterId: cursor, status, categoryId, ids: id }), done),
  render: (page, { publicUrl }, call) => ({
    body: arrayJson(page.rows, petJson),
    headers: linkToNext(page, `${publicUrl}/pets`, parameters, call.parameters),
  }),
  refuse: refuseNothing,
});
