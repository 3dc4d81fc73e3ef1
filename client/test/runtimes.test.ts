import { describe, expect, test } from "bun:test";
import { CHROMIUM } from "../../test/harness/browser/chromium.ts";
import { setUp } from "../../test/harness/cleanup.ts";
import { CHECKS, KIT_CHECKS } from "./everywhere/checks.ts";
import { RUNTIMES } from "./everywhere/env.ts";
import type { Outcomes } from "./everywhere/suite.ts";
import { checkUnderFaults } from "./fault-run.ts";
import { type StartedRuntime, startRuntime } from "./harness/runtimes.ts";
import { startSurroundings } from "./harness/surroundings.ts";

// The published client in every supported runtime, against a running service.

const TIMEOUT_MS = 240_000;
const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 1e9));

for (const runtime of RUNTIMES)
  describe.skipIf(runtime === "Chromium" && !CHROMIUM)(runtime, () => {
    let started: StartedRuntime;
    let outcomes: Outcomes = {};
    let kitOutcomes: Outcomes = {};
    setUp(async () => {
      started = await startRuntime(runtime);
      const surroundings = await startSurroundings(runtime, started.pageOrigin);
      outcomes = await started.call("runChecks", surroundings);
      kitOutcomes = await started.call("runKitChecks", surroundings);
    }, TIMEOUT_MS);

    for (const name of Object.keys(CHECKS)) test(name, () => expect(outcomes[name]).toBeNull());

    for (const name of Object.keys(KIT_CHECKS))
      test(`on the testing kit: ${name}`, () => expect(kitOutcomes[name]).toBeNull());

    test("nothing unexpected is on the console", () => {
      // The browser itself logs statuses such as 404, and connections that are broken on purpose.
      expect(started.complaints.filter((text) => !text.startsWith("Failed to load resource: "))).toEqual([]);
    });

    test(`behind a proxy that fails at random, everything is done exactly once (SEED=${SEED})`, async () => {
      const { pageOrigin } = started;
      // A browser has six connections to an origin.
      const size = pageOrigin ? { callers: 6, rounds: 4, pageOrigin } : { callers: 24, rounds: 2 };
      const { faults } = await checkUnderFaults(SEED, (run) => started.call("workThroughFaults", run), size);
      expect(faults.values().reduce((sum, count) => sum + count, 0)).toBeGreaterThan(20);
    });
  });
