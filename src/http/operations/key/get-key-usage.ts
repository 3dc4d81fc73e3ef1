import type { Pass } from "../../../access/gate.ts";
import { oneOf } from "../../../base/mistake.ts";
import { done } from "../../../base/result.ts";
import { countOf } from "../../../base/text/text.ts";
import { andThen } from "../../../base/time/awaitable.ts";
import { DAY_MS, HOUR_MS } from "../../../base/time/clock.ts";
import { GRAINS, type Grain } from "../../../domain/usage/grains.ts";
import { type NotKept, type UsageBucket, usageOfKeyId } from "../../../keys/queries/usage.ts";
import { operation } from "../../declare/operation.ts";
import { momentParameter, queryParameter } from "../../declare/parameters.ts";
import type { Fault } from "../../faults/fault.ts";
import { invalidParameter } from "../../faults/faults.ts";
import { KEY_TAG } from "../../wire/key.ts";
import { USAGES, USAGES_EXAMPLE, usagesJson } from "../../wire/usage.ts";

/** The hours of 31 days, for which usage by hour is kept. */
const MAX_ENTRIES = 744;

const parameters = {
  by: queryParameter<Grain>({
    description:
      "What an entry is about. Without it, one that suits the time: by minute up to the last 100 minutes, then by hour up to the last 100 hours, then by day. Usage is kept by minute for 6 hours, by hour for 31 days and by day for 400 days.",
    schema: { type: "string", enum: GRAINS },
    example: "hour",
    parse: oneOf(GRAINS),
  }),
  since: momentParameter(
    `The first entry is the one that this time falls in. Without it, 24 hours ago. At most ${MAX_ENTRIES} entries are sent: a longer time is refused.`,
    "2026-11-15T09:30:00Z",
  ),
};

const badSince = (mistake: string): Fault => invalidParameter("since", mistake);

const IN_FUTURE = badSince("lies in the future: choose an earlier time");

function notKept({ grain, keptMs }: NotKept): Fault {
  const kept = keptMs % DAY_MS === 0 ? countOf(keptMs / DAY_MS, "day") : countOf(keptMs / HOUR_MS, "hour");
  return grain === undefined || grain === "day"
    ? badSince(`lies further back than the ${kept} for which usage is kept: choose a later time`)
    : badSince(
        `lies further back than the ${kept} for which usage by ${grain} is kept: choose a later time, or by=${grain === "minute" ? "hour" : "day"}`,
      );
}

const tooMany = (count: number): Fault =>
  badSince(
    `would give ${count} entries, and at most ${MAX_ENTRIES} are sent: choose a later time, or a coarser "by", such as by=day`,
  );

export const getKeyUsage = operation({
  name: "getKeyUsage",
  method: "GET",
  path: "/key/usage",
  tag: KEY_TAG,
  scope: undefined,
  isPersonal: true,
  summary: "Get the usage of your key",
  description:
    "What became of the requests of the key that you call with, by minute, hour or day, oldest first. There is an entry for each, even without requests. Counts are a few seconds old.",
  parameters,
  success: {
    status: 200,
    description: "The usage of the key.",
    schema: USAGES,
    examples: { usages: USAGES_EXAMPLE },
  },
  faults: [tooMany(MAX_ENTRIES + 1), IN_FUTURE, notKept({ kind: "not_kept", grain: "minute", keptMs: 6 * HOUR_MS })],
  sampleQuery: "by=hour",
  perform({ parameters: { by, since }, caller }, { usageStore, clock }) {
    const nowMs = clock.nowMs();
    const sinceMs = since === undefined ? DAY_MS : nowMs - since;
    if (sinceMs < 0) return IN_FUTURE;
    const parts = { usage: usageStore, clock: { nowMs: () => nowMs } };
    return andThen(usageOfKeyId(parts, (caller as Pass).key.id, { sinceMs, grain: by }), (report) => {
      if (report.kind === "refused") return notKept(report.reason);
      const { buckets } = report.value;
      return buckets.length > MAX_ENTRIES ? tooMany(buckets.length) : done<readonly UsageBucket[]>(buckets);
    });
  },
  render: (buckets) => ({ body: usagesJson(buckets) }),
});
