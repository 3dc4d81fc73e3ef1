import type { Connection, Session } from "./connection.ts";
import { Watch, type WatchOptions } from "./watch.ts";

/** The limits of a command, which may work for hours. */
export const WATCHED: WatchOptions = { answerTimeoutMs: 10_000, lookIntervalMs: 10_000 };

/**
 * Makes the statements of a session fail with an OperatorError once the server is silent: however long they take, as
 * long as it is at work on them, they are waited for. Closes the session if it fails at once.
 */
export async function watchedSession(session: Session, url: string, options = WATCHED): Promise<Session> {
  const watch = new Watch(url, options);
  const watched = ({ run }: Connection): Connection => ({
    run: (statement, parameters) => watch.during(run(statement, parameters)),
  });
  try {
    await watch.during(watch.on(session));
  } catch (error) {
    await session.close();
    throw error;
  }
  return {
    ...watched(session),
    transact(work) {
      let isOurTurn = false;
      const transaction = session.transact(async (tx) => {
        isOurTurn = true;
        try {
          return await work(watched(tx));
        } finally {
          isOurTurn = false;
        }
      });
      return watch.during(transaction, () => isOurTurn);
    },
    close: session.close,
  };
}
