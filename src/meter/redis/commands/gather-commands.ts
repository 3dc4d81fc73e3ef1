import { Cluster, type Redis } from "ioredis";
import { atEndOfTurn } from "../../../base/time/turn.ts";

/** Commands are sent when this many are gathered, or at the end of the turn: Redis works while more are gathered. */
const MAX_GATHERED = 16;

/**
 * Sends commands of one turn of the event loop together: ioredis writes each by itself, and a system call is a third
 * of what a command costs.
 */
export function gatherCommands(client: Redis | Cluster): void {
  if (client instanceof Cluster) client.on("+node", gatherCommandsOf);
  else gatherCommandsOf(client);
}

function gatherCommandsOf(server: Redis): void {
  server.on("connect", () => {
    const { stream } = server;
    const write = stream.write.bind(stream) as (...args: unknown[]) => boolean;
    let gathered = 0;
    const send = (): void => {
      if (gathered > 0) stream.uncork();
      gathered = 0;
    };
    stream.write = (...args: unknown[]) => {
      if (gathered === 0) {
        stream.cork();
        atEndOfTurn(send);
      }
      const isAccepted = write(...args);
      if (++gathered === MAX_GATHERED) send();
      return isAccepted;
    };
  });
}
