// A thread that counts in memory that it shares with others. It gets one assignment after the other, and answers each.

import type { Clock } from "../../src/base/time/clock.ts";
import type { RatePolicy } from "../../src/domain/limits/tally.ts";
import { type MeterMemory, type Meters, openMeters } from "../../src/meter/open.ts";
import { FakeClock } from "../harness/time/clock.ts";

/** The first message. */
export interface Opening {
  readonly memory: MeterMemory;
  /** The clock of all threads. */
  readonly clock: SharedArrayBuffer;
  /** The lead of this thread's clock. */
  readonly aheadMs: number;
  /** The time that this thread holds the lock, each time. */
  readonly slowMs: number;
}

/** An assignment: this many requests of each subject in turn, of keys or of addresses. */
export interface Assignment {
  readonly of: "keyMeter" | "addressMeter";
  readonly subjects: readonly string[];
  readonly requests: number;
  readonly policy: RatePolicy;
}

/** The number of requests by subject and verdict. */
export type Report = Record<string, Record<"pass" | "exhausted" | "banned" | "newBan", number>>;

export type FromWorker =
  | { readonly kind: "ready" }
  | { readonly kind: "save" }
  | { readonly kind: "report"; readonly report: Report };

export type ToWorker =
  | ({ readonly kind: "open" } & Opening)
  | ({ readonly kind: "judge" } & Assignment)
  | { readonly kind: "saved" };

declare const self: Worker;
const send = (message: FromWorker) => self.postMessage(message);
const nothing = new Int32Array(new SharedArrayBuffer(4));

let meters: Meters;
const waiting: (() => void)[] = [];

async function open({ memory, clock: buffer, aheadMs, slowMs }: Opening): Promise<void> {
  const shared = new FakeClock(undefined, buffer);
  const clock: Clock = {
    nowMs() {
      if (slowMs > 0) Atomics.wait(nothing, 0, 0, slowMs);
      return shared.nowMs() + aheadMs;
    },
  };
  const saveElsewhere = () => {
    send({ kind: "save" });
    return new Promise<void>((resolve) => void waiting.push(resolve));
  };
  const settings = { redisUrl: undefined, memory, keeper: { saveElsewhere }, clock };
  meters = await openMeters({ ...settings, onSaveFailure() {}, onServerChange() {} });
  send({ kind: "ready" });
}

async function judge({ of, subjects, requests, policy }: Assignment): Promise<void> {
  const report: Report = {};
  for (const subject of subjects) report[subject] = { pass: 0, exhausted: 0, banned: 0, newBan: 0 };
  for (let i = 0; i < requests; i++)
    for (const subject of subjects) {
      const judged = meters[of].judge(subject, policy);
      const verdict = judged instanceof Promise ? await judged : judged;
      const counts = report[subject] as Report[string];
      counts[verdict.kind === "banned" && verdict.isNew ? "newBan" : verdict.kind]++;
    }
  send({ kind: "report", report });
}

self.onmessage = ({ data }: MessageEvent<ToWorker>) => {
  if (data.kind === "open") void open(data);
  else if (data.kind === "judge") void judge(data);
  else waiting.shift()?.();
};
