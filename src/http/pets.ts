import { ANIMAL_STATUSES, isAnimalStatus } from "../domain/animal.ts";
import type { Clock } from "../domain/clock.ts";
import { Fault } from "../domain/fault.ts";
import { parseInt64 } from "../domain/int64.ts";
import {
  decodeCursor,
  encodeCursor,
  PAGE_SIZE_DEFAULT,
  PAGE_SIZE_MAX,
  PAGE_SIZE_MIN,
  parsePageSize,
} from "../domain/page.ts";
import type { AnimalQuery, AnimalStore } from "../store/store.ts";
import { readBody } from "./body.ts";
import { NewPet } from "./contract.ts";
import { petJson, petsJson } from "./json.ts";
import type { Operation } from "./operation.ts";
import { readQuery } from "./query.ts";

/** getPet was deprecated with release 1.0.0, and the contract names the day of its removal. */
export const GET_PET_DEPRECATED_AT_MS = Date.parse("2026-11-15T00:00:00Z");
export const GET_PET_REMOVED_AT_MS = Date.parse("2030-12-05T00:00:00Z");

export interface PetParts {
  readonly animals: AnimalStore;
  readonly clock: Clock;
  /** The base address of the interface, without a slash at its end. */
  readonly publicUrl: string;
  readonly docsUrl: string;
  readonly bodyDeadlineMs: number;
}

export function petOperations({ animals, clock, publicUrl, docsUrl, bodyDeadlineMs }: PetParts) {
  const petsUrl = `${publicUrl}/pets`;

  const listPets: Operation = {
    name: "listPets",
    async handle({ request }) {
      const query = readListQuery(request.url);
      if (query instanceof Fault) return query;
      const page = await animals.list(query);
      const body = petsJson(page.rows);
      const last = page.rows.at(-1);
      if (!page.more || last === undefined) return { status: 200, body };
      return { status: 200, body, headers: { Link: nextLink(petsUrl, query, last.id) } };
    },
  };

  const createPet: Operation = {
    name: "createPet",
    async handle({ request }) {
      const body = await readBody(request, NewPet, bodyDeadlineMs);
      if (body instanceof Fault) return body;
      const query = readQuery(request.url, []);
      if (query instanceof Fault) return query;
      const animal = await animals.create(body);
      return { status: 201, body: petJson(animal), headers: { Location: `${petsUrl}/${animal.id}` } };
    },
  };

  const getPet: Operation = {
    name: "getPet",
    headers: {
      Deprecation: `@${GET_PET_DEPRECATED_AT_MS / 1000}`,
      Sunset: new Date(GET_PET_REMOVED_AT_MS).toUTCString(),
      Link: `<${docsUrl}>; rel="deprecation"; type="text/html", <${petsUrl}>; rel="successor-version"`,
    },
    async handle({ request, params }) {
      if (clock.nowMs() >= GET_PET_REMOVED_AT_MS) return REMOVED;
      const id = parseInt64(params.petId ?? "");
      if (id === undefined) return NOT_FOUND;
      const query = readQuery(request.url, []);
      if (query instanceof Fault) return query;
      const animal = await animals.get(id);
      return animal ? { status: 200, body: petJson(animal) } : NOT_FOUND;
    },
  };

  return { listPets, createPet, getPet };
}

const NOT_FOUND = new Fault("pet_not_found", "There is no animal with this id. Find ids with GET /pets.");
const REMOVED = new Fault(
  "operation_removed",
  "GET /pets/{petId} was removed on 5 December 2030. Use GET /pets with the status filter.",
);

const LIST_PARAMETERS = ["limit", "status", "cursor"] as const;

const wrong = (parameter: string, remedy: string): Fault =>
  new Fault("invalid_parameter", `The query parameter "${parameter}" must be ${remedy}.`);

const WRONG_LIMIT = wrong(
  "limit",
  `a whole number from ${PAGE_SIZE_MIN} to ${PAGE_SIZE_MAX}, such as limit=${PAGE_SIZE_DEFAULT}`,
);
const WRONG_STATUS = wrong("status", `one of ${ANIMAL_STATUSES.join(", ")}`);
const WRONG_CURSOR = wrong("cursor", "one that a Link header gave you: follow its URL as it is");

function readListQuery(url: string): AnimalQuery | Fault {
  const query = readQuery(url, LIST_PARAMETERS);
  if (query instanceof Fault) return query;
  const size = query.limit === undefined ? PAGE_SIZE_DEFAULT : parsePageSize(query.limit);
  if (size === undefined) return WRONG_LIMIT;
  const { status } = query;
  if (status !== undefined && !isAnimalStatus(status)) return WRONG_STATUS;
  const afterId = query.cursor === undefined ? undefined : decodeCursor(query.cursor);
  if (query.cursor !== undefined && afterId === undefined) return WRONG_CURSOR;
  return { size, status, afterId };
}

function nextLink(petsUrl: string, { size, status }: AnimalQuery, lastId: bigint): string {
  const filter = status === undefined ? "" : `&status=${status}`;
  return `<${petsUrl}?limit=${size}${filter}&cursor=${encodeCursor(lastId)}>; rel="next"`;
}
