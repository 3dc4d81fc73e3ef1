import { networkInterfaces } from "node:os";
import { atEnd } from "../../test/harness/cleanup.ts";
import { memoryMb, openDescriptors, processorMs, settled } from "../wire/readings.ts";
import { startTarget, type Target } from "../wire/target.ts";
import type { Assignment, Toll } from "./attackers/attacker.ts";
import type { GoodDay } from "./good-client.ts";
import { command, runAttacker, runGoodClient } from "./processes.ts";
import type { Row } from "./rows.ts";

export interface Measured {
  /** The good client's experience alone, beside the same attack on the control server, and beside the attack. */
  readonly alone?: GoodDay;
  readonly control?: GoodDay;
  readonly attacked: GoodDay;
  readonly toll: Toll;
  /** The service's CPU time per request of the attacker. */
  readonly processorMsPerRequest: number;
  /** Memory above that of the idle service. */
  readonly memoryMb: number;
  /** The time after the attack until the good client fared as before; undefined if that exceeded the deadline. */
  readonly recoveredMs: number | undefined;
  readonly descriptorsLeft: number;
}

export interface MeasureOptions {
  /** The duration of each part. */
  readonly seconds: number;
  /** The time limit of an attack that is limited by its number of requests. */
  readonly attackSeconds?: number;
  /** Without the control, only figures that do not depend on how busy the machine is are checked. */
  readonly withControl: boolean;
}

/** The deadline of a response, and of recovery after an attack. */
const DEADLINE_MS = 15_000;
const SHORT_DEADLINE_MS = 4_000;
const RECOVERED_P99_MS = 60;
/** The approximate cost of a request of the good client. */
const USUAL_PROCESSOR_MS = 0.15;
const SAMPLE_INTERVAL_MS = 40;
const NO_LIMIT = Number.MAX_SAFE_INTEGER;

/** The good client and the attacker use different addresses of this machine, if it has two. */
function places({ origin }: { origin: string }): { good: string; bad: string } {
  const { port } = new URL(origin);
  return { good: origin, bad: `http://127.0.0.1:${port}` };
}

export const hasTwoAddresses = (): boolean =>
  Object.values(networkInterfaces()).some((addresses) => addresses?.some(({ address }) => address === "::1"));

export async function measure(row: Row, options: MeasureOptions): Promise<Measured> {
  const { seconds, attackSeconds = seconds, withControl } = options;
  const deadlineMs = withControl ? DEADLINE_MS : SHORT_DEADLINE_MS;
  const { env, wrap } = row.start?.() ?? {};
  const host: Record<string, string> = hasTwoAddresses() ? { HOST: "::" } : {};
  const target = await startTarget({ env: { ...host, ...env }, ...(wrap ? { wrap } : {}) });
  const secret = await target.issueKey({ plan: "enterprise" });
  const { good, bad } = places(target);
  const beGood = (forSeconds = seconds): Promise<GoodDay> =>
    runGoodClient({ origin: good, secret, seconds: forSeconds, deadlineMs });
  const scriptPath = await scriptPathOf(target);
  const assignmentFor = async (origin: string): Promise<Assignment> => ({
    attacker: row.attacker,
    origin,
    scriptPath,
    seconds: row.maxRequests === undefined ? seconds : attackSeconds,
    maxRequests: row.maxRequests ?? NO_LIMIT,
    ...(row.plan ? { secret: await target.issueKey({ plan: row.plan }) } : {}),
  });

  const idleMb = memoryMb(target.pid);
  const idleDescriptors = openDescriptors(target.pid);
  const alone = withControl ? await aloneWith(target, beGood) : undefined;
  const control = withControl ? await controlled(await assignmentFor("bare"), beGood) : undefined;
  if (row.before !== undefined)
    await runAttacker({ ...(await assignmentFor(bad)), seconds: 60, maxRequests: row.before });

  const memory = watchMemory(target.pid);
  const fromMs = processorMs(target.pid);
  const [toll, attacked] = await Promise.all([runAttacker(await assignmentFor(bad)), beGood()]);
  const spentMs =
    processorMs(target.pid) - fromMs - attacked.requests * (alone?.processorMsPerRequest ?? USUAL_PROCESSOR_MS);
  const recoveredMs = await recovery(beGood, deadlineMs, withControl ? RECOVERED_P99_MS : deadlineMs);
  const descriptorsLeft = (await settled(() => openDescriptors(target.pid), 0, 5_000)) - idleDescriptors;
  await target.kill("SIGKILL");
  return {
    ...(alone && control ? { alone, control } : {}),
    attacked,
    toll,
    processorMsPerRequest: Math.max(0, spentMs) / Math.max(1, toll.requests),
    memoryMb: memory.stop() - idleMb,
    recoveredMs,
    descriptorsLeft,
  };
}

/** The path of the API reference's script, which contains a version. */
async function scriptPathOf({ origin }: Target): Promise<string> {
  const page = await (await fetch(`${origin}/docs`)).text();
  const path = /src="\.(\/docs\/scalar[^"]+)"/.exec(page)?.[1];
  if (!path) throw new Error("the page /docs names no script");
  return path;
}

/** Measures the good client alone, and what one of its requests costs the service. */
async function aloneWith({ pid }: Target, beGood: () => Promise<GoodDay>) {
  const fromMs = processorMs(pid);
  const day = await beGood();
  return { ...day, processorMsPerRequest: (processorMs(pid) - fromMs) / Math.max(1, day.requests) };
}

/** Measures the good client beside the same attack on the control server. */
async function controlled(assignment: Assignment, beGood: () => Promise<GoodDay>): Promise<GoodDay> {
  const bare = Bun.spawn(command("bare-server.ts"), { stdin: "ignore", stdout: "pipe", stderr: "inherit" });
  atEnd(() => bare.kill("SIGKILL"));
  const { value } = await bare.stdout.getReader().read();
  const origin = `http://127.0.0.1:${new TextDecoder().decode(value).trim()}`;
  const [, day] = await Promise.all([runAttacker({ ...assignment, origin }), beGood()]);
  bare.kill("SIGKILL");
  await bare.exited;
  return day;
}

async function recovery(
  beGood: (seconds: number) => Promise<GoodDay>,
  deadlineMs: number,
  p99MaxMs: number,
): Promise<number | undefined> {
  const fromMs = performance.now();
  while (performance.now() - fromMs < deadlineMs) {
    const startedMs = performance.now() - fromMs;
    const { unanswered, p99 } = await beGood(0.3);
    if (unanswered === 0 && p99 < p99MaxMs) return startedMs;
  }
  return undefined;
}

function watchMemory(pid: number): { stop(): number } {
  let highest = memoryMb(pid);
  const timer = setInterval(() => {
    highest = Math.max(highest, memoryMb(pid));
  }, SAMPLE_INTERVAL_MS);
  return {
    stop() {
      clearInterval(timer);
      return highest;
    },
  };
}
