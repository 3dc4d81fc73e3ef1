import { DAY_MS } from "../../base/time/clock.ts";
import type { EnvironmentName } from "../../domain/environment.ts";
import { type Instance, stateOfInstance } from "../../domain/usage/instance.ts";
import type { HolderRotation } from "../../store/ports/store.ts";
import type { Alert } from "../api/index.ts";
import type { Disk } from "./disk.ts";

// The alerts of the overview, the worst first.

export interface StoreHealth {
  readonly answers: boolean;
  readonly isReadOnly: boolean;
  /** Undefined: it is on another machine, or cannot be read. */
  readonly disk: Disk | undefined;
}

export interface Circumstances {
  readonly nowMs: number;
  readonly environment: EnvironmentName;
  readonly instances: readonly Instance[];
  /** Undefined: not known yet. */
  readonly health: StoreHealth | undefined;
  /** The number of banned keys; undefined: not known, because Redis does not answer. */
  readonly bannedKeys: number | undefined;
  /** The keys whose holders have rotated their secrets in the last day, the latest first. */
  readonly rotations: readonly HolderRotation[];
}

/** An alert that does not know yet when it was first seen. */
interface Finding extends Omit<Alert, "sinceMs"> {
  /** Identifies the alert: its texts may change while it lasts. */
  readonly id: string;
  readonly sinceMs?: number;
}

const DOCUMENT = "docs/operations.md";

export function findAlerts(circumstances: Circumstances): readonly Finding[] {
  const found = [
    ...storeAlerts(circumstances),
    ...instanceAlerts(circumstances),
    ...keyAlerts(circumstances),
    ...rotationAlerts(circumstances),
  ];
  return [...found.filter(({ level }) => level === "problem"), ...found.filter(({ level }) => level === "warning")];
}

function* storeAlerts({ health }: Circumstances): Generator<Finding> {
  if (health && !health.answers)
    yield {
      id: "store",
      level: "problem",
      title: "The database does not answer.",
      meaning: "Requests fail with 503 until it does; the service log has the cause.",
      remedy: `${DOCUMENT}#check`,
    };
  if (health?.isReadOnly)
    yield {
      id: "read-only",
      level: "problem",
      title: "The database is read-only.",
      meaning: "It is a replica, or was made read-only: animals and orders can be read, but nothing can be changed.",
      remedy: `${DOCUMENT}#a-replica`,
    };
  if (health?.disk && isNearlyFull(health.disk))
    yield {
      id: "disk",
      level: "problem",
      title: `The disk is nearly full: ${gigabytes(health.disk.freeBytes)} of ${gigabytes(health.disk.totalBytes)} left.`,
      meaning: "When it is full, every write is refused with 503. Acknowledged writes are safe.",
      remedy: `${DOCUMENT}#when-the-disk-fails`,
    };
}

const LEAST_FREE_BYTES = 1_000_000_000;
const LEAST_FREE_SHARE = 0.1;
/** Enough on any disk, however small a share it is. */
const ENOUGH_FREE_BYTES = 10_000_000_000;

const isNearlyFull = ({ freeBytes, totalBytes }: Disk): boolean =>
  freeBytes < LEAST_FREE_BYTES || (freeBytes < LEAST_FREE_SHARE * totalBytes && freeBytes < ENOUGH_FREE_BYTES);

const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(1)} GB`;

function* instanceAlerts({ instances, nowMs, environment }: Circumstances): Generator<Finding> {
  const alive = instances.filter((each) => stateOfInstance(each, nowMs) === "alive");
  const alone = alive.filter(({ health }) => health === "counts alone");
  if (alone.length > 0)
    yield {
      id: "counts-alone",
      level: "problem",
      title: "Redis does not answer.",
      meaning: `${named(alone)} ${alone.length === 1 ? "counts requests by itself" : "count requests independently"}: until Redis is back, a key can use its full quotas on each instance.`,
      remedy: `${DOCUMENT}#when-redis-does-not-count`,
    };
  for (const each of alive.filter(({ health }) => health === "not ready"))
    yield {
      id: `not-ready ${each.id}`,
      level: "problem",
      title: `Instance ${each.id} on ${each.host} is not ready.`,
      meaning: "It answers requests with 503 because it cannot reach the database or Redis.",
      remedy: `${DOCUMENT}#health`,
    };
  for (const each of instances.filter((instance) => isMissed(instance, instances, nowMs)))
    yield {
      id: `lost ${each.id}`,
      level: "problem",
      title: `Instance ${each.id} on ${each.host} is lost.`,
      meaning: "It was killed, crashed, or cannot reach the database. It did not shut down cleanly.",
      remedy: `${DOCUMENT}#instances`,
      sinceMs: each.seenAtMs,
    };
  const versions = [...new Set(alive.map(({ version }) => version))].sort();
  if (versions.length > 1)
    yield {
      id: "versions",
      level: "warning",
      title: `Instances run different versions: ${versions.join(", ")}.`,
      meaning: "This is expected during an upgrade, and only then.",
      remedy: `${DOCUMENT}#upgrades`,
    };
  const strangers = alive.filter((each) => each.environment !== environment);
  if (strangers.length > 0)
    yield {
      id: "environments",
      level: "problem",
      title: "Production and staging share this database.",
      meaning: `This service is ${environment}. ${named(strangers)} ${strangers.length === 1 ? "is" : "are"} not. Both use the same keys and animals.`,
      remedy: `${DOCUMENT}#production-and-staging`,
    };
}

const named = (instances: readonly Instance[]): string =>
  `${instances.length === 1 ? "Instance" : "Instances"} ${instances.map(({ id, host }) => `${id} on ${host}`).join(", ")}`;

/** A lost instance is no news after a day, or once another one was started on its host. */
function isMissed(instance: Instance, all: readonly Instance[], nowMs: number): boolean {
  if (stateOfInstance(instance, nowMs) !== "lost" || nowMs - instance.seenAtMs > DAY_MS) return false;
  return !all.some((other) => other.host === instance.host && other.startedAtMs >= instance.seenAtMs);
}

function* keyAlerts({ bannedKeys }: Circumstances): Generator<Finding> {
  if (bannedKeys === undefined)
    yield {
      id: "counts",
      level: "warning",
      title: "Used quotas and bans cannot be shown.",
      meaning: "They are counted in Redis, which does not answer the console.",
      remedy: `${DOCUMENT}#when-redis-does-not-count`,
    };
  else if (bannedKeys > 0)
    yield {
      id: "banned",
      level: "warning",
      title: bannedKeys === 1 ? "1 key is banned." : `${bannedKeys} keys are banned.`,
      meaning: `${bannedKeys === 1 ? "It" : "They"} kept sending requests after being refused. Bans end by themselves, or can be lifted.`,
      remedy: "/keys?state=banned",
    };
}

/** The operator has to hear of it: whoever has stolen a secret can rotate it as well. */
function* rotationAlerts({ rotations }: Circumstances): Generator<Finding> {
  const [latest, ...others] = rotations;
  if (!latest) return;
  const isOne = others.length === 0;
  yield {
    id: `rotated ${latest.keyId} ${latest.atMs}`,
    level: "warning",
    title: isOne
      ? `The holder of the key ${JSON.stringify(latest.name)} has rotated its secret.`
      : `The holders of ${rotations.length} keys have rotated their secrets in the last 24 hours.`,
    meaning: `If ${isOne ? "that was not its holder" : "one of them was not the holder"}, somebody has stolen the secret and has the new one now: rotate the key without an overlap, or revoke it.`,
    remedy: isOne ? `/keys/${latest.keyId}` : "/journal",
    sinceMs: latest.atMs,
  };
}

/** Remembers when each alert was first seen, as long as it lasts. */
export class SeenAlerts {
  #since = new Map<string, number>();

  note(findings: readonly Finding[], nowMs: number): Alert[] {
    const since = new Map(findings.map(({ id, sinceMs }) => [id, sinceMs ?? this.#since.get(id) ?? nowMs]));
    this.#since = since;
    return findings.map(({ id, ...alert }) => ({ ...alert, sinceMs: since.get(id) ?? null }));
  }
}
