import { done } from "../../base/result.ts";
import { NAME_MAX_CODE_POINTS } from "../../base/text/text.ts";
import { andThen } from "../../base/time/awaitable.ts";
import { jsonPageOf, type Listed, type Page } from "../../domain/page.ts";
import { ANIMAL_STATUSES, type Animal, animalTag } from "../../domain/stock/animal.ts";
import { fold } from "../../domain/stock/fold.ts";
import { operation } from "../declare/operation.ts";
import {
  clashOf,
  clashOfCursor,
  type ListedPage,
  pageSuccess,
  renderPage,
  SEARCH_PAGE_PARAMETERS,
  sortParameter,
} from "../declare/paging.ts";
import {
  choiceParameter,
  int64ListParameter,
  int64Parameter,
  type ParameterValues,
  textParameter,
} from "../declare/parameters.ts";
import type { Fault } from "../faults/fault.ts";
import { OTHER_PET_EXAMPLE, PET_EXAMPLE, PET_SHAPE, PET_STATUS, PETS, PETS_TAG, petJson } from "../wire/pet.ts";

const MAX_IDS = 100;

const parameters = {
  ...SEARCH_PAGE_PARAMETERS,
  status: choiceParameter("Return only animals with this status.", ANIMAL_STATUSES, PET_STATUS),
  categoryId: int64Parameter("Return only animals of this category. Not together with `name`.", 7),
  id: int64ListParameter(
    `Return only these animals, if they exist. Repeat it to ask for several, up to ${MAX_IDS} times. Not together with \`name\`.`,
    [42, 43],
    MAX_IDS,
  ),
  sort: { ...sortParameter, description: `${sortParameter.description} Not together with \`name\`.` },
  name: textParameter(
    "Return only animals whose name begins with this, in upper or lower case. They are ordered by name, then by id. Goes with `status`, but not with `categoryId`, `id` or `sort`, not even `sort=id`. Only with a `cursor` that was given out for it.",
    "Re",
    NAME_MAX_CODE_POINTS,
  ),
};

/** A search by name is ordered by name; with another filter, all of its results would have to be searched. */
const clashIn = (
  values: Partial<ParameterValues<typeof parameters>>,
  foldedPrefix: string | undefined,
): Fault | undefined =>
  clashOf("name", ["sort", "categoryId", "id"], values) ?? clashOfCursor(values.cursor, foldedPrefix);

/** A page of one id replaces getPet: it has the ETag of the animal, so that an update can depend on it. */
const pageOfOne = (page: Page<Listed<Animal>>): ListedPage => ({
  ...jsonPageOf(page, petJson),
  tag: page.rows[0] && animalTag(page.rows[0]),
});

/** New animals are on the last page by id, on the first one by descending id, and anywhere by name. */
function survivesAdditions({ next, tag }: ListedPage, values: Partial<ParameterValues<typeof parameters>>): boolean {
  const isOneThatExists = tag !== undefined;
  if (values.id) return isOneThatExists;
  return next !== undefined && values.sort !== "-id" && values.name === undefined;
}

export const listPets = operation({
  name: "listPets",
  method: "GET",
  path: "/pets",
  tag: PETS_TAG,
  scope: "pets:read",
  summary: "List animals",
  description:
    "Animals by ascending id, or as `sort` and `name` say, one page at a time. While there is a next page, the `Link` header has its URL; pages stay stable while animals are added.",
  parameters,
  success: pageSuccess(PETS, "A page of animals.", [PET_EXAMPLE, OTHER_PET_EXAMPLE]),
  faults: [clashIn({ name: "Re", sort: "-id" }, "re") as Fault],
  sampleQuery: "status=available",
  perform({ parameters: values }, { animals }) {
    const { limit: size, cursor: after, status, categoryId, id: ids, sort } = values;
    const name = values.name === undefined ? undefined : fold(values.name);
    const clash = clashIn(values, name);
    if (clash) return clash;
    const query = { size, after, status, categoryId, ids, sort, name };
    if (ids?.length !== 1) return andThen(animals.listJson(query, PET_SHAPE), done<ListedPage>);
    return andThen(animals.list(query), (page) => done(pageOfOne(page)));
  },
  render: renderPage("/pets", parameters, survivesAdditions),
});
