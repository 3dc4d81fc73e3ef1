import { type Answer, answerOf, type Reply } from "../transport/answer.ts";

/**
 * A promise of the data. `withResponse()` also gives the status, headers and more.
 *
 * @example
 * const rex = await store.pets.create({ name: "Rex", categoryId: 7 });
 * const { data: mia, requestId } = await store.pets.create({ name: "Mia", categoryId: 3 }).withResponse();
 */
export interface Call<T> extends Promise<T> {
  /** The data together with status, headers, `etag` and `requestId`. */
  withResponse(): Promise<Answer<T>>;
}

/** Makes a call of a pending reply; `dataOf` derives the call's data from it. */
export function callOf<R, T = R>(
  reply: Promise<Reply<R>>,
  dataOf: (reply: Reply<R>) => T = ({ data }) => data as unknown as T,
): Call<T> {
  const call = reply.then(dataOf) as Call<T>;
  call.withResponse = async () => answerOf(await call, await reply);
  return call;
}
