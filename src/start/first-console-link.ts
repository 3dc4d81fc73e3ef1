import type { Clock } from "../base/time/clock.ts";
import type { Author } from "../domain/journal.ts";
import type { Store } from "../store/ports/store.ts";
import type { OperatorKey } from "./operator-key.ts";

/**
 * Makes a link into the console of a new store, if there is somebody to see it. An embedded store is new when it gets its
 * operator's key; one on a server, as long as it has no key at all. `consoleUrl`: undefined
 * without a console.
 */
export const firstConsoleLink =
  (store: Store, clock: Clock, consoleUrl: string | undefined, operatorKey: OperatorKey | undefined) =>
  async (findAuthor: () => Promise<Author | undefined>): Promise<string | undefined> => {
    if (consoleUrl === undefined || store.isReadOnly()) return undefined;
    const isNew = operatorKey ? operatorKey.isNew : (await store.keys.listSome({ afterId: "", size: 1 })).length === 0;
    const author = isNew ? await findAuthor() : undefined;
    if (!author) return undefined;
    const { addressOfLink, makeConsoleLink } = await import("../console/auth/link.ts");
    const link = await makeConsoleLink(
      { sessions: store.sessions, clock, author },
      { name: author.by, role: "operator" },
    );
    return addressOfLink(consoleUrl, link);
  };
