/** With everything else that a request takes, the client still has its response within 200 ms. */
export const ANSWER_TIMEOUT_MS = 150;

/** Redis did not answer in time. */
export class AnswerTimeout extends Error {
  override readonly name = "AnswerTimeout";

  constructor(timeoutMs: number) {
    super(`no answer within ${timeoutMs} ms`);
  }
}

/**
 * The answer, or an AnswerTimeout. If this process was busy, an answer that has arrived may still be
 * queued behind the timer: it gets two more turns of the event loop.
 */
export function withAnswerTimeout<T>(answer: Promise<T>, timeoutMs: number): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const giveUp = () => reject(new AnswerTimeout(timeoutMs));
  const timer = setTimeout(() => setImmediate(() => setImmediate(giveUp)), timeoutMs);
  answer.then(resolve, reject).finally(() => clearTimeout(timer));
  return promise;
}
