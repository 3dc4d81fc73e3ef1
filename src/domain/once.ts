import { DAY_MS } from "./clock.ts";

/** How long an answer is kept, to be given again. */
export const ANSWER_KEPT_MS = DAY_MS;

/** A write that is to happen once, however often it is sent. */
export interface Once {
  readonly keyId: string;
  /** What the client named the write by. */
  readonly token: string;
  /** Tells the same request from another one that goes by the same token. */
  readonly fingerprint: string;
  readonly nowMs: number;
  readonly draft: AnswerDraft;
}

/** The answer to a write, as it was given the first time. */
export interface KeptAnswer {
  readonly status: number;
  readonly body: string;
  readonly location: string;
}

/** An answer that lacks nothing but the id that the store assigns, which it is kept together with. */
export interface AnswerDraft {
  readonly status: number;
  /** The id goes between the two. */
  readonly body: readonly [before: string, after: string];
  /** The id goes behind it. */
  readonly location: string;
}

export const completed = ({ status, body: [before, after], location }: AnswerDraft, id: bigint): KeptAnswer => ({
  status,
  body: `${before}${id}${after}`,
  location: `${location}${id}`,
});

export interface OnceRecord {
  readonly fingerprint: string;
  readonly answeredAtMs: number;
  readonly answer: KeptAnswer;
}

/** What became of a write: done now, done before, or refused because its token names another. */
export type Written<Result> =
  | { readonly kind: "done"; readonly result: Result }
  | { readonly kind: "replay"; readonly answer: KeptAnswer }
  | { readonly kind: "mismatch" };

/** An answer that was given until this moment is forgotten. */
export const forgottenUntilMs = (nowMs: number): number => nowMs - ANSWER_KEPT_MS;

/** What an earlier record means for a write; undefined: go on, it is the first. */
export function judgeRepeat(record: OnceRecord | undefined, once: Once): Written<never> | undefined {
  if (!record || record.answeredAtMs <= forgottenUntilMs(once.nowMs)) return undefined;
  return record.fingerprint === once.fingerprint ? { kind: "replay", answer: record.answer } : { kind: "mismatch" };
}
