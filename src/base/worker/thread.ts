import type { Awaitable } from "../time/awaitable.ts";
import { type Handlers, type Methods, Rpc } from "./rpc.ts";
import type { Lifecycle } from "./supervised-worker.ts";

declare const self: Worker;

type Close = Pick<Lifecycle<unknown>, "close">;

/**
 * In the script of a SupervisedWorker: starts with the data that is sent to it, and then offers the methods that
 * `start` returns. Calls that arrive before that wait.
 */
export function runThread<Data, Own extends Methods, Remote extends Methods>(
  start: (data: Data, host: Rpc<Remote>) => Awaitable<Handlers<Own & Close>>,
): void {
  const started = Promise.withResolvers<Handlers<Methods>>();
  const begin = async (data: Data): Promise<void> => started.resolve(await start(data, host));
  const handlers = new Proxy<Handlers<Methods>>(
    {},
    {
      get: (_, method: string) =>
        method === "start" ? begin : async (...params: unknown[]) => (await started.promise)[method]?.(...params),
    },
  );
  const host = new Rpc<Remote, Methods>(self, handlers);
}
