import { encodeCursor } from "../../src/domain/page.ts";
import type { Settings } from "./settings.ts";
import type { Answer, Request } from "./tools.ts";

/** All contenders. Each runs only those workloads in which a comparison with it says something. */
export const CONTENDER_NAMES = [
  "this service",
  "THREADS=1",
  "former revision",
  "ceiling",
  "ceiling, one thread",
  "nginx",
  "Fastify",
  "Fastify cluster",
] as const;
export type ContenderName = (typeof CONTENDER_NAMES)[number];

export type WorkloadName = "mix" | "list" | "get" | "getAny" | "create" | "unauthorised" | "limited";

/** The kinds of responses that are compared. */
export type AnswerName = "list" | "page" | "get" | "create" | "unauthorised" | "limited";

/** Makes the cursor that continues after an animal. The peers have their own kind. */
export type CursorAfter = (id: number) => string;
export const ourCursor: CursorAfter = (id) => encodeCursor({ id: BigInt(id) });

/** A request together with what a correct response to it looks like. */
export interface Check {
  readonly request: (cursorAfter: CursorAfter) => Request;
  readonly status: number;
  /** Says what is wrong with a response, compared to our service's; undefined if nothing is. */
  readonly mistake: (answer: Answer, ours: Answer) => string | undefined;
}

/** A workload: the requests that contenders are measured with. */
export interface Workload {
  readonly name: WorkloadName;
  readonly title: string;
  readonly contenders: readonly ContenderName[];
  /** The kinds of responses, and the share of each. */
  readonly answers: Partial<Record<AnswerName, number>>;
  readonly requests: (animals: number, cursorAfter: CursorAfter) => Request[];
  readonly isAnonymous?: boolean;
}

export const LIST: Request = { method: "GET", path: "/v1/pets?status=available" };
export const CREATE: Request = { method: "POST", path: "/v1/pets", body: '{"name":"Rex","categoryId":7}' };
export const getPet = (id: number): Request => ({ method: "GET", path: `/v1/pets/${id}` });
export const listAfter = (id: number, cursorAfter = ourCursor): Request => ({
  method: "GET",
  path: `${LIST.path}&cursor=${cursorAfter(id)}`,
});

const ANY_ID = 4242;

export const CHECKS: Readonly<Record<AnswerName, Check>> = {
  list: { request: () => LIST, status: 200, mistake: sameBody },
  page: { request: (cursorAfter) => listAfter(ANY_ID, cursorAfter), status: 200, mistake: sameBody },
  get: { request: () => getPet(ANY_ID), status: 200, mistake: sameBody },
  create: { request: () => CREATE, status: 201, mistake: createdAnimal },
  unauthorised: { request: () => LIST, status: 401, mistake: errorShape },
  limited: { request: () => LIST, status: 429, mistake: errorShape },
};

const OURS = ["this service", "THREADS=1", "former revision"] as const;
const FASTIFY = ["Fastify", "Fastify cluster"] as const;

export const WORKLOADS: readonly Workload[] = [
  {
    name: "mix",
    title: "mix: 3 first pages, 3 pages anywhere, 3 animals anywhere, 1 creation",
    contenders: [...OURS, "ceiling", "ceiling, one thread", ...FASTIFY],
    answers: { list: 0.3, page: 0.3, get: 0.3, create: 0.1 },
    requests: mixedRequests,
  },
  {
    name: "list",
    title: "list 20 by status, the first page",
    contenders: [...OURS, "ceiling, one thread", "nginx", ...FASTIFY],
    answers: { list: 1 },
    requests: () => [LIST],
  },
  {
    name: "getAny",
    title: "getPet, any animal",
    contenders: [...OURS, "ceiling, one thread", ...FASTIFY],
    answers: { get: 1 },
    requests: anyAnimals,
  },
  { name: "get", title: "getPet, one animal", contenders: OURS, answers: { get: 1 }, requests: () => [getPet(ANY_ID)] },
  {
    name: "create",
    title: "createPet, durable",
    contenders: [...OURS, "ceiling, one thread", ...FASTIFY],
    answers: { create: 1 },
    requests: () => [CREATE],
  },
  {
    name: "unauthorised",
    title: "refused: 401, no key",
    contenders: OURS,
    answers: { unauthorised: 1 },
    requests: () => [LIST],
    isAnonymous: true,
  },
  {
    name: "limited",
    title: "refused: 429, quota used up",
    contenders: OURS,
    answers: { limited: 1 },
    requests: () => [LIST],
  },
];

const AGAIN: readonly ContenderName[] = ["this service", "former revision"];

/** The workloads that a run measures, each with who takes part in it. */
export const wantedWorkloads = ({ rows }: Pick<Settings, "rows">): readonly Workload[] =>
  rows === undefined
    ? WORKLOADS
    : WORKLOADS.filter(({ name }) => rows.includes(name)).map((work) => ({ ...work, contenders: AGAIN }));

export const workloadNamed = (name: WorkloadName): Workload => WORKLOADS.find((work) => work.name === name) as Workload;
export const answersOf = ({ answers }: Workload): AnswerName[] => Object.keys(answers) as AnswerName[];

/** Shuffles in place. */
function shuffled<T>(items: T[]): T[] {
  for (let i = items.length - 1; i > 0; i--) {
    const j = Math.floor(Math.random() * (i + 1));
    [items[i], items[j]] = [items[j] as T, items[i] as T];
  }
  return items;
}

/** Requests every animal once, so that no cache can help. */
export function anyAnimals(animals: number): Request[] {
  return shuffled(Array.from({ length: animals }, (_, i) => getPet(i + 1)));
}

const DIFFERENT_PAGES = 100_000;

/** Requests full pages that begin at random animals. */
export const anyPages = (animals: number, cursorAfter = ourCursor, count = DIFFERENT_PAGES): Request[] =>
  Array.from({ length: count }, () => listAfter(Math.floor(Math.random() * animals * 0.9), cursorAfter));

const anyAnimal = (animals: number): Request => getPet(1 + Math.floor(Math.random() * animals));

const TENS = 20_000;

/** Each ten is shuffled by itself, so that connections served in turn do not always get the same kind of request. */
export function mixedRequests(animals: number, cursorAfter = ourCursor): Request[] {
  const pages = anyPages(animals, cursorAfter, 3 * TENS);
  return Array.from({ length: TENS }, (_, ten) => {
    const animalsOfTen = [anyAnimal(animals), anyAnimal(animals), anyAnimal(animals)];
    return shuffled([LIST, LIST, LIST, ...pages.slice(3 * ten, 3 * ten + 3), ...animalsOfTen, CREATE]);
  }).flat();
}

const isJsonEqual = (a: string, b: string): boolean => Bun.deepEquals(JSON.parse(a), JSON.parse(b), true);

function sameBody(answer: Answer, ours: Answer): string | undefined {
  return isJsonEqual(answer.body, ours.body) ? undefined : `the body differs from ours: ${answer.body}`;
}

function createdAnimal(answer: Answer, ours: Answer): string | undefined {
  const { id, ...fields } = JSON.parse(answer.body);
  const { id: _, ...expected } = JSON.parse(ours.body);
  if (!Number.isSafeInteger(id) || !Bun.deepEquals(fields, expected, true)) return `the body is wrong: ${answer.body}`;
  const location = headerOf(answer, "location");
  return location?.endsWith(`/v1/pets/${id}`) ? undefined : `the Location is wrong: ${location}`;
}

function errorShape(answer: Answer): string | undefined {
  const { code, message, status } = JSON.parse(answer.body);
  const isRight = typeof code === "string" && typeof message === "string" && status === answer.status;
  return isRight ? undefined : `the body is not an Error: ${answer.body}`;
}

export const headerOf = ({ headers }: Answer, wanted: string): string | undefined =>
  Object.entries(headers).find(([name]) => name.toLowerCase() === wanted)?.[1];

/** Throws unless a response is correct. */
export function assertRight(name: AnswerName, answer: Answer, ours: Answer, who: string): void {
  const { status, mistake } = CHECKS[name];
  const wrong =
    answer.status === status
      ? mistake(answer, ours)
      : `the status is ${answer.status} instead of ${status}: ${answer.body}`;
  if (wrong !== undefined) throw new Error(`${who} gave a wrong response to "${name}": ${wrong}`);
}
