import { ANIMAL_STATUSES, type Animal, isAnimalStatus } from "../domain/animal.ts";
import { andThen } from "../domain/awaitable.ts";
import type { Clock } from "../domain/clock.ts";
import { Fault } from "../domain/fault.ts";
import { parseInt64 } from "../domain/int64.ts";
import type { AnimalQuery, AnimalStore } from "../store/store.ts";
import { readBody } from "./body.ts";
import { petJson, petJsonAround } from "./json.ts";
import type { KeptReplies } from "./kept.ts";
import type { Retriable } from "./once.ts";
import { type Operation, paramOf } from "./operation.ts";
import { PAGE_PARAMETERS, pageReply, readPage } from "./paging.ts";
import { int64Of, NO_PARAMETERS, readQuery, wrongParameter } from "./query.ts";
import { reply } from "./reply.ts";

/** getPet was deprecated with release 1.0.0, and the contract names the day of its removal. */
export const GET_PET_DEPRECATED_AT_MS = Date.parse("2026-11-15T00:00:00Z");
export const GET_PET_REMOVED_AT_MS = Date.parse("2030-12-05T00:00:00Z");

export interface PetParts {
  readonly animals: AnimalStore;
  readonly clock: Clock;
  readonly kept: KeptReplies;
  readonly retriable: Retriable;
  /** The base address of the interface, without a slash at its end. */
  readonly publicUrl: string;
  readonly docsUrl: string;
  readonly bodyDeadlineMs: number;
}

export function petOperations({ animals, clock, kept, retriable, publicUrl, docsUrl, bodyDeadlineMs }: PetParts) {
  const petsUrl = `${publicUrl}/pets`;

  const listPets: Operation = {
    name: "listPets",
    handle: ({ request: { url } }) =>
      kept.answer(url, () => {
        const query = readListQuery(url);
        if (query instanceof Fault) return query;
        return andThen(animals.list(query), (page) =>
          pageReply(page, petJson, petsUrl, query.size, () => filterOf(query)),
        );
      }),
  };

  const createPet: Operation = {
    name: "createPet",
    async handle(call) {
      const body = await readBody(call.request, "NewPet", bodyDeadlineMs);
      if (body instanceof Fault) return body;
      return retriable<Animal>(call, {
        content: [body.name, body.categoryId, body.status],
        perform: (once) => animals.create(body, once),
        draft: { status: 201, body: petJsonAround(body), location: `${petsUrl}/` },
        idIn: ({ id }) => id,
      });
    },
  };

  const getPet: Operation = {
    name: "getPet",
    fields: {
      Deprecation: `@${GET_PET_DEPRECATED_AT_MS / 1000}`,
      Sunset: new Date(GET_PET_REMOVED_AT_MS).toUTCString(),
      Link: `<${docsUrl}>; rel="deprecation"; type="text/html", <${petsUrl}>; rel="successor-version"`,
    },
    handle({ request }) {
      if (clock.nowMs() >= GET_PET_REMOVED_AT_MS) return REMOVED;
      const { url } = request;
      return kept.answer(url, () => {
        const id = parseInt64(paramOf(request, "petId"));
        if (id === undefined) return NO_SUCH_PET;
        const query = readQuery(url, NO_PARAMETERS);
        if (query instanceof Fault) return query;
        return andThen(animals.get(id), (animal) => (animal ? reply(200, petJson(animal)) : NO_SUCH_PET));
      });
    },
  };

  return { listPets, createPet, getPet };
}

export const NO_SUCH_PET = new Fault("pet_not_found", "There is no animal with this id. Find ids with GET /pets.");
export const REMOVED = new Fault(
  "operation_removed",
  "GET /pets/{petId} was removed on 5 December 2030. Use GET /pets with the status filter, or with id.",
);

export const LIST_IDS_MAX = 100;
const LIST_PARAMETERS = { ...PAGE_PARAMETERS, status: 1, id: LIST_IDS_MAX, categoryId: 1 } as const;

const WRONG_STATUS = wrongParameter("status", `one of ${ANIMAL_STATUSES.join(", ")}`);
const WRONG_ID = wrongParameter("id", "an integer of 64 bits, such as id=42; repeat it for more than one");
const WRONG_CATEGORY = wrongParameter("categoryId", "an integer of 64 bits, such as categoryId=7");

function readListQuery(url: string): AnimalQuery | Fault {
  const query = readQuery(url, LIST_PARAMETERS);
  if (query instanceof Fault) return query;
  const page = readPage(query.limit?.[0], query.cursor?.[0]);
  if (page instanceof Fault) return page;
  const status = query.status?.[0];
  if (status !== undefined && !isAnimalStatus(status)) return WRONG_STATUS;
  const ids = query.id?.map(parseInt64);
  if (ids?.includes(undefined)) return WRONG_ID;
  const categoryId = int64Of(query.categoryId, WRONG_CATEGORY);
  if (categoryId instanceof Fault) return categoryId;
  return { ...page, status, ids: ids as bigint[] | undefined, categoryId };
}

function filterOf({ status, ids = [], categoryId }: AnimalQuery): string {
  const byStatus = status === undefined ? "" : `&status=${status}`;
  const byCategory = categoryId === undefined ? "" : `&categoryId=${categoryId}`;
  return byStatus + byCategory + ids.map((id) => `&id=${id}`).join("");
}
