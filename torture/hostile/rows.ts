import { constants, openSync } from "node:fs";
import { join } from "node:path";
import type { Plan } from "../../src/domain/keys/plan.ts";
import { temporaryFolder } from "../../test/harness/folder.ts";
import { WORST_BODIES } from "./attackers/bodies.ts";

/** One attack, and the harm that it may do at most. */
export interface Row {
  readonly name: string;
  readonly attacker: string;
  /** The plan of the attacker's key. */
  readonly plan?: Plan;
  /** The attacker stops after this many requests, the plan's quota per minute. */
  readonly maxRequests?: number;
  /** The number of requests sent before the measurement. */
  readonly before?: number;
  readonly start?: () => { env?: Record<string, string>; wrap?: readonly string[] };
  /** The limit of the service's CPU time per request of the attacker. */
  readonly processorMsMax: number;
  /** The limit of memory during the attack, above that of the idle service. */
  readonly memoryMaxMb: number;
  /** The good client's p99 is acceptable below this, even if it is more than twice that of the control. */
  readonly p99MaxMs: number;
  /** The share of good requests that may fail, where the attack takes up what a new client needs, too. */
  readonly unansweredShareMax?: number;
}

/** The approximate time in which the service refuses one request on each of the attacker's connections. */
const ONE_WAVE_MS = 150;
/**
 * Bun accepts and serves new connections until none is waiting, and only then returns to the others. An attacker who
 * opens them faster than they are served delays the others for about as long. A proxy in front prevents that.
 */
const WHILE_ACCEPTING_MS = 1_000;
/** Too short for anyone to notice. */
const NOTHING_MS = 50;
/** The first 120 responses of a minute, of 3.5 MB each without compression. */
const LARGE_ANSWERS_MS = 300;

/** A key of the Business plan, and its quota per minute. */
const BUSINESS = { plan: "business", maxRequests: 1_000 } as const;

const DESCRIPTORS = 128;

/** Sends the log into an open pipe that nothing reads. */
function unreadLog(): { env: Record<string, string>; wrap: readonly string[] } {
  const pipe = join(temporaryFolder(), "log");
  Bun.spawnSync(["mkfifo", pipe]);
  openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK);
  return { env: { LOG_REQUESTS: "on" }, wrap: ["sh", "-c", `exec "$@" 2>'${pipe}'`, "sh"] };
}

const bodyRow = (name: string): Row => ({
  name: `worst bodies: ${name}`,
  attacker: `body: ${name}`,
  ...BUSINESS,
  processorMsMax: 3,
  memoryMaxMb: 150,
  p99MaxMs: NOTHING_MS,
});

const BODY_ROWS: readonly Row[] = [
  {
    ...bodyRow("chunks"),
    name: "bodies in 65,000 chunks",
    attacker: "oneByteChunks",
    processorMsMax: 10,
    // The requests come all at once, each with 390 KB to parse.
    p99MaxMs: 700,
  },
  ...WORST_BODIES.map(bodyRow),
];

const wave = { memoryMaxMb: 150, p99MaxMs: ONE_WAVE_MS };
const accepting = { memoryMaxMb: 150, p99MaxMs: WHILE_ACCEPTING_MS };

// Each request is counted, and each refusal is logged or counted for the log, which takes 2 µs.
const FLOOD_ROWS: readonly Row[] = [
  { name: "512 x 50 pipelined, banned", attacker: "pipelined", plan: "free", processorMsMax: 0.015, ...accepting },
  { name: "512 x 50 pipelined, no key", attacker: "pipelined", processorMsMax: 0.015, ...accepting },
  { name: "a new connection for every request", attacker: "newConnections", processorMsMax: 0.3, ...wave },
  { name: "made-up keys, pipelined", attacker: "madeUpKeys", processorMsMax: 0.03, ...wave },
  {
    name: "a new address every time",
    attacker: "forwardedAddresses",
    before: 120_000,
    start: () => ({ env: { TRUSTED_PROXIES: "127.0.0.1" } }),
    processorMsMax: 0.12,
    ...wave,
    // Two threads count as many addresses as there is room for, beside what requests leave behind.
    memoryMaxMb: 200,
  },
  // The key's reads of a minute are made at once, at about 0.25 ms each.
  {
    name: "a whole quota of reads at once",
    attacker: "quotaFlood",
    plan: "business",
    processorMsMax: 0.5,
    memoryMaxMb: 150,
    p99MaxMs: 400,
  },
  { name: "a whole quota of writes at once", attacker: "writeFlood", plan: "business", processorMsMax: 0.5, ...wave },
  {
    name: "log that nobody reads",
    attacker: "writeFlood",
    plan: "business",
    start: unreadLog,
    processorMsMax: 0.7,
    ...wave,
  },
  {
    name: "reference script, 64 connections",
    attacker: "docsScript",
    processorMsMax: 5,
    ...wave,
    p99MaxMs: LARGE_ANSWERS_MS,
  },
  { name: "connections that end at once", attacker: "connectAndClose", processorMsMax: 0.1, ...wave },
];

const SLOW_ROWS: readonly Row[] = [
  {
    name: "more connections than descriptors",
    attacker: "idleConnections",
    start: () => ({ wrap: ["prlimit", `--nofile=${DESCRIPTORS}:${DESCRIPTORS}`] }),
    // Every thread watches the limit of descriptors and reopens the port by itself.
    processorMsMax: 1,
    memoryMaxMb: 150,
    p99MaxMs: 1_000,
    unansweredShareMax: 0.05,
  },
  {
    name: "answers that nobody reads",
    attacker: "neverRead",
    processorMsMax: 10,
    memoryMaxMb: 300,
    p99MaxMs: LARGE_ANSWERS_MS,
  },
  { name: "heads that never end", attacker: "slowHeads", processorMsMax: 10, memoryMaxMb: 150, p99MaxMs: NOTHING_MS },
  {
    name: "bodies that never end",
    attacker: "slowBodies",
    plan: "enterprise",
    processorMsMax: 10,
    memoryMaxMb: 150,
    p99MaxMs: NOTHING_MS,
  },
];

export const ROWS: readonly Row[] = [...BODY_ROWS, ...FLOOD_ROWS, ...SLOW_ROWS];

export function rowNamed(name: string): Row {
  const row = ROWS.find((row) => row.name === name);
  if (!row) throw new Error(`there is no row named "${name}"`);
  return row;
}
