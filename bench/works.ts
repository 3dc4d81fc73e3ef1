import type { Answer, Request } from "./tools.ts";

export type WorkName = "list" | "get" | "getAny" | "create" | "unauthorised" | "limited";

/** Something that contenders are asked to do, and what a correct response looks like. */
export interface Work {
  readonly name: WorkName;
  readonly title: string;
  readonly request: Request;
  readonly status: number;
  /** Requests of the same kind that are sent instead. */
  readonly requests?: (animals: number) => Request[];
  readonly isAnonymous?: boolean;
  /** What is wrong with a response, given our service's; undefined if nothing is. */
  readonly mistake: (answer: Answer, ours: Answer) => string | undefined;
}

export const LIST: Request = { method: "GET", path: "/v1/pets?status=available" };
export const CREATE: Request = { method: "POST", path: "/v1/pets", body: '{"name":"Rex","categoryId":7}' };
export const getPet = (id: number): Request => ({ method: "GET", path: `/v1/pets/${id}` });

export const WORKS: readonly Work[] = [
  { name: "list", title: "list 20 by status", request: LIST, status: 200, mistake: sameBody },
  { name: "get", title: "getPet, one animal", request: getPet(4242), status: 200, mistake: sameBody },
  {
    name: "getAny",
    title: "getPet, any animal",
    request: getPet(4242),
    requests: (animals) => shuffled(animals).map(getPet),
    status: 200,
    mistake: sameBody,
  },
  {
    name: "create",
    title: "createPet, durable",
    request: CREATE,
    requests: () => [CREATE],
    status: 201,
    mistake: createdAnimal,
  },
  {
    name: "unauthorised",
    title: "refused: 401, no key",
    request: LIST,
    status: 401,
    isAnonymous: true,
    mistake: errorShape,
  },
  { name: "limited", title: "refused: 429, quota used up", request: LIST, status: 429, mistake: errorShape },
];

/** The numbers from 1 to count in random order, so that no cache can help. */
export function shuffled(count: number): number[] {
  const numbers = Array.from({ length: count }, (_, i) => i + 1);
  for (let i = count - 1; i > 0; i--) {
    const j = Math.floor(Math.random() * (i + 1));
    [numbers[i], numbers[j]] = [numbers[j] as number, numbers[i] as number];
  }
  return numbers;
}

const isJsonEqual = (a: string, b: string): boolean => Bun.deepEquals(JSON.parse(a), JSON.parse(b), true);

function sameBody(answer: Answer, ours: Answer): string | undefined {
  return isJsonEqual(answer.body, ours.body) ? undefined : `the body differs from ours: ${answer.body}`;
}

function createdAnimal(answer: Answer, ours: Answer): string | undefined {
  const { id, ...fields } = JSON.parse(answer.body);
  const { id: _, ...expected } = JSON.parse(ours.body);
  if (!Number.isSafeInteger(id) || !Bun.deepEquals(fields, expected, true)) return `the body is wrong: ${answer.body}`;
  const location = Object.entries(answer.headers).find(([name]) => name.toLowerCase() === "location")?.[1];
  return location?.endsWith(`/v1/pets/${id}`) ? undefined : `the Location is wrong: ${location}`;
}

function errorShape(answer: Answer): string | undefined {
  const { code, message, status } = JSON.parse(answer.body);
  const isRight = typeof code === "string" && typeof message === "string" && status === answer.status;
  return isRight ? undefined : `the body is not an Error: ${answer.body}`;
}

/** Throws unless a response is correct. */
export function assertRight(work: Work, answer: Answer, ours: Answer, who: string): void {
  const mistake =
    answer.status === work.status
      ? work.mistake(answer, ours)
      : `the status is ${answer.status} instead of ${work.status}: ${answer.body}`;
  if (mistake !== undefined) throw new Error(`${who} gave a wrong response to "${work.title}": ${mistake}`);
}
