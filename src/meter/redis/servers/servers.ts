import { Cluster, Command, type Redis } from "ioredis";
import { displayAddress, type RedisUrl } from "../../redis-url.ts";
import { keyOf } from "../commands/script.ts";
import type { RedisClient } from "./client.ts";

/** The servers that count, each for some of the subjects, by the names that the operator knows. */
export type Servers = ReturnType<typeof clusterNodes>;

const PROBE_SUBJECT = "probe";

export const serversOf = (client: RedisClient, url: RedisUrl): Servers =>
  client instanceof Cluster ? clusterNodes(client, url) : oneServer(client as Redis, url);

/** A connection that does not answer can be replaced; one that is being made has a timeout of its own. */
function replaceConnection(client: Redis): void {
  if (client.status === "ready" || client.status === "connect") client.disconnect(true);
}

/** A single server, or the one that sentinels name. */
function oneServer(client: Redis, { kind, addresses, masterName = "" }: RedisUrl): Servers {
  const name = kind === "sentinel" ? masterName : addresses.map(displayAddress).join();
  let connectionError: Error | undefined;
  client.on("error", (error: Error) => {
    connectionError = error;
  });
  client.on("ready", () => {
    connectionError = undefined;
  });
  return {
    names: () => [name],
    of: () => name,
    probeSubject: () => PROBE_SUBJECT,
    isStandIn: () => false,
    isConnected: () => client.status === "ready",
    connectionError: () => connectionError,
    reconnect: () => replaceConnection(client),
    // Every new connection leads to the server that counts.
    refresh() {},
    onChange() {},
  };
}

const SLOTS = 16_384;

/** The masters of a cluster. */
function clusterNodes(client: Cluster, { addresses }: RedisUrl) {
  /** Stands for the server of a slot that no node has yet, as before the first connection. */
  const clusterName = addresses.map(displayAddress).join();
  const connectionErrors = new Map<string, Error>();
  const listeners: (() => void)[] = [];
  let names: readonly string[] = [clusterName];

  const nodeOf = (slot: number): string => client.slots[slot]?.[0] ?? clusterName;
  const of = (subject: string): string => nodeOf(new Command("get", [keyOf(subject)]).getSlot() ?? 0);

  client.on("error", (error: Error) => connectionErrors.set(clusterName, error));
  client.on("node error", (error: Error, name: string) => connectionErrors.set(name, error));
  client.on("ready", () => connectionErrors.clear());
  // The error of a past outage would be the wrong explanation of the next one.
  const forgetWhenReady = (node: Redis) => node.on("ready", () => connectionErrors.delete(nameOf(node)));
  client.on("+node", forgetWhenReady);
  client.nodes().forEach(forgetWhenReady);
  client.on("refresh", () => {
    const found = new Set<string>();
    for (let slot = 0; slot < SLOTS; slot++) found.add(nodeOf(slot));
    if (found.size === names.length && names.every((name) => found.has(name))) return;
    names = [...found];
    for (const name of connectionErrors.keys()) if (!found.has(name)) connectionErrors.delete(name);
    for (const listener of listeners) listener();
  });

  return {
    /** Returns all servers that count now. */
    names: () => names,
    /** Returns the server that counts for a subject. */
    of,
    /** Returns a subject that this server counts for, and nobody else uses. */
    probeSubject(name: string): string {
      // A number that, after the word, hashes to a slot of the node: with few nodes, one of a few numbers does.
      for (let i = 0; i < SLOTS; i++) {
        const subject = `${PROBE_SUBJECT} ${i}`;
        if (of(subject) === name) return subject;
      }
      return PROBE_SUBJECT;
    },
    /** True: the name stands for all servers, because none is known yet. */
    isStandIn: (name: string) => name === clusterName,
    /** True: a command would be sent at once. */
    isConnected: () => client.status === "ready",
    /** Returns the latest error since there was a connection. */
    connectionError: (name: string) => connectionErrors.get(name) ?? connectionErrors.get(clusterName),
    /** Replaces a connection that may have gone dead without being closed. */
    reconnect(name: string): void {
      for (const node of client.nodes()) if (nameOf(node) === name) replaceConnection(node);
    },
    /** Finds out in the background whether another server has taken over. */
    refresh: () => client.refreshSlotsCache(),
    /** Registers a listener for changes of the servers that count. */
    onChange: (listener: () => void) => void listeners.push(listener),
  };
}

const nameOf = ({ options: { host, port } }: Redis): string => `${host}:${port}`;
