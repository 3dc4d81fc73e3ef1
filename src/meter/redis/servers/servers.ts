import { Cluster, Command, type Redis } from "ioredis";
import { displayAddress, type RedisUrl } from "../../redis-url.ts";
import { keyOf } from "../commands/script.ts";
import type { RedisClient } from "./client.ts";

/** The servers that count, each for some of the subjects, by the names that the operator knows. */
export interface Servers {
  /** Returns all servers that count now. */
  names(): readonly string[];
  /** Returns the server that counts for a subject. */
  of(subject: string): string;
  /** Returns a subject that this server counts for, and nobody else uses. */
  probeSubject(name: string): string;
  /** True: the name stands for all servers, because none is known yet. */
  isStandIn(name: string): boolean;
  /** True: a command would be sent at once. */
  isConnected(): boolean;
  /** Returns the latest error since there was a connection. */
  connectionError(name: string): Error | undefined;
  /** Replaces a connection that may have gone dead without being closed. */
  reconnect(name: string): void;
  /** Finds out in the background whether another server has taken over. */
  refresh(): void;
  /** Registers a listener for changes of the servers that count. */
  onChange(listener: () => void): void;
}

const PROBE_SUBJECT = "probe";

export const serversOf = (client: RedisClient, url: RedisUrl): Servers =>
  client instanceof Cluster ? new ClusterNodes(client, url) : oneServer(client as Redis, url);

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
class ClusterNodes implements Servers {
  /** Stands for the server of a slot that no node has yet, as before the first connection. */
  readonly #clusterName: string;
  readonly #connectionErrors = new Map<string, Error>();
  readonly #listeners: (() => void)[] = [];
  #names: readonly string[];

  constructor(
    private readonly client: Cluster,
    { addresses }: RedisUrl,
  ) {
    this.#clusterName = addresses.map(displayAddress).join();
    this.#names = [this.#clusterName];
    client.on("error", (error: Error) => this.#connectionErrors.set(this.#clusterName, error));
    client.on("node error", (error: Error, name: string) => this.#connectionErrors.set(name, error));
    client.on("ready", () => this.#connectionErrors.clear());
    // The error of a past outage would be the wrong explanation of the next one.
    const forgetWhenReady = (node: Redis) => node.on("ready", () => this.#connectionErrors.delete(nameOf(node)));
    client.on("+node", forgetWhenReady);
    client.nodes().forEach(forgetWhenReady);
    client.on("refresh", () => this.#update());
  }

  names(): readonly string[] {
    return this.#names;
  }

  of(subject: string): string {
    return this.#nodeOf(new Command("get", [keyOf(subject)]).getSlot() ?? 0);
  }

  /** Finds a number that, after the word, hashes to a slot of the node: with few nodes, one of a few numbers does. */
  probeSubject(name: string): string {
    for (let i = 0; i < SLOTS; i++) {
      const subject = `${PROBE_SUBJECT} ${i}`;
      if (this.of(subject) === name) return subject;
    }
    return PROBE_SUBJECT;
  }

  isStandIn(name: string): boolean {
    return name === this.#clusterName;
  }

  isConnected(): boolean {
    return this.client.status === "ready";
  }

  connectionError(name: string): Error | undefined {
    return this.#connectionErrors.get(name) ?? this.#connectionErrors.get(this.#clusterName);
  }

  reconnect(name: string): void {
    for (const node of this.client.nodes()) if (nameOf(node) === name) replaceConnection(node);
  }

  refresh(): void {
    this.client.refreshSlotsCache();
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  #nodeOf(slot: number): string {
    return this.client.slots[slot]?.[0] ?? this.#clusterName;
  }

  #update(): void {
    const names = new Set<string>();
    for (let slot = 0; slot < SLOTS; slot++) names.add(this.#nodeOf(slot));
    if (names.size === this.#names.length && this.#names.every((name) => names.has(name))) return;
    this.#names = [...names];
    for (const name of this.#connectionErrors.keys()) if (!names.has(name)) this.#connectionErrors.delete(name);
    for (const listener of this.#listeners) listener();
  }
}

const nameOf = ({ options: { host, port } }: Redis): string => `${host}:${port}`;
