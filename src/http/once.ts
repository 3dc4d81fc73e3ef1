import type { Clock } from "../domain/clock.ts";
import { Fault } from "../domain/fault.ts";
import { type AnswerDraft, completed, type KeptAnswer, type Once, type Written } from "../domain/once.ts";
import { Letterhead } from "./letterhead.ts";
import type { Call } from "./operation.ts";
import { type Reply, reply } from "./reply.ts";

const TOKEN_MAX_CHARACTERS = 255;
/** Printable ASCII without what a list or a quoted text is made of: a doubled header must not pass for one. */
const TOKEN = /^[!#-+\--[\]-~](?:[ !#-+\--[\]-~]*[!#-+\--[\]-~])?$/;
const WAIT_FOR_FIRST_MS = 1_000;

const CREATED = new Letterhead({}, "Location");
const REPLAYED = new Letterhead({ "Idempotency-Replayed": "true" }, "Location");

export const WRONG_TOKEN = new Fault(
  "invalid_parameter",
  `The Idempotency-Key header must have 1 to ${TOKEN_MAX_CHARACTERS} printable ASCII characters without quotes, commas or backslashes, such as a UUID.`,
);
export const MISMATCH = new Fault(
  "idempotency_mismatch",
  "This Idempotency-Key was used for a different request within the last 24 hours. Use a new one for each new request.",
);
export const IN_PROGRESS = new Fault(
  "idempotency_in_progress",
  "The first request with this Idempotency-Key is still being worked on. Wait, and send it again with the same key.",
);

/** Performs writes that are safe to retry: of copies with the same Idempotency-Key only the first is carried out. */
export type Retriable = <Result>(call: Call, write: Write<Result>) => Promise<Reply | Fault>;

export interface Write<Result> {
  /** What tells this request from another, in any order but always the same. */
  readonly content: readonly unknown[];
  readonly perform: (once: Once | undefined) => Promise<Written<Result>>;
  /** The answer to success, but for the id: only such an answer is kept. */
  readonly draft: AnswerDraft;
  /** The id that was assigned, or why there is none. */
  readonly idIn: (result: Result) => bigint | Fault;
}

export function createRetriable(clock: Clock): Retriable {
  const running = new Map<string, Promise<unknown>>();

  return async function retriable(call, write) {
    const token = tokenOf(call.request.headers.get("idempotency-key"));
    if (token instanceof Fault) return token;
    if (token === undefined) return replyTo(await write.perform(undefined), write);

    const once: Once = {
      keyId: call.key.id,
      token,
      fingerprint: fingerprintOf(call.operation, write.content),
      nowMs: clock.nowMs(),
      draft: write.draft,
    };
    const name = `${once.keyId} ${token}`;
    const first = running.get(name);
    if (first && !(await endsWithin(first, WAIT_FOR_FIRST_MS))) return IN_PROGRESS;

    const work = write.perform(once);
    const finished = work.catch(() => {});
    running.set(name, finished);
    try {
      return replyTo(await work, write);
    } finally {
      if (running.get(name) === finished) running.delete(name);
    }
  };
}

const fingerprintOf = (operation: string, content: readonly unknown[]): string =>
  new Bun.CryptoHasher("sha256").update(JSON.stringify([operation, ...content.map(String)])).digest("base64url");

/** A header in quotes, as the draft standard has it, or without them, as most clients send it. */
function tokenOf(header: string | null): string | undefined | Fault {
  if (header === null) return undefined;
  const token = /^"(.*)"$/.exec(header)?.[1] ?? header;
  return token.length <= TOKEN_MAX_CHARACTERS && TOKEN.test(token) ? token : WRONG_TOKEN;
}

function replyTo<Result>(written: Written<Result>, { draft, idIn }: Write<Result>): Reply | Fault {
  if (written.kind === "mismatch") return MISMATCH;
  if (written.kind === "replay") return replyOf(written.answer, REPLAYED);
  const id = idIn(written.result);
  return id instanceof Fault ? id : replyOf(completed(draft, id), CREATED);
}

const replyOf = ({ status, body, location }: KeptAnswer, letterhead: Letterhead): Reply =>
  reply(status, body, letterhead, location);

const endsWithin = async (work: Promise<unknown>, ms: number): Promise<boolean> =>
  Promise.race([work.then(() => true), Bun.sleep(ms).then(() => false)]);
