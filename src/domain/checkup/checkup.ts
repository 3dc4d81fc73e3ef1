import { OperatorError, type Remedy } from "../../base/operator-error.ts";
import type { Awaitable } from "../../base/time/awaitable.ts";

/** The result of a check: all is well, something may surprise, or something is wrong, with its remedy. */
export type Finding =
  | { readonly kind: "ok"; readonly detail: string }
  | { readonly kind: "warning" | "problem"; readonly detail: string; readonly remedy: string | Remedy };

/** A check of a store, which changes nothing. */
export interface Check {
  /** A few words for the line that shows its result. */
  readonly name: string;
  /** A check that throws has found a problem too. */
  readonly run: () => Awaitable<Finding>;
  /** If it finds a problem, the checks after it cannot run. */
  readonly isNeeded?: true;
}

/** Checks that share a connection, which is closed after them. */
export interface Checkup {
  readonly checks: readonly Check[];
  close(): Awaitable<void>;
}

export const check = (name: string, run: Check["run"]): Check => ({ name, run });

export const neededCheck = (name: string, run: Check["run"]): Check => ({ name, run, isNeeded: true });

export const ok = (detail: string): Finding => ({ kind: "ok", detail });

export const warning = (detail: string, remedy: string | Remedy): Finding => ({ kind: "warning", detail, remedy });

export const problem = (detail: string, remedy: string | Remedy): Finding => ({ kind: "problem", detail, remedy });

/** A problem if there is an objection; otherwise all is well, with this detail. */
export const okUnless = (objection: string | undefined, detail: string, remedy: string | Remedy): Finding =>
  objection === undefined ? ok(detail) : problem(objection, remedy);

export interface CheckResult {
  readonly name: string;
  readonly finding: Finding;
}

/** Runs checks in order, up to the first needed one that finds a problem. */
export async function* runChecks(checks: readonly Check[]): AsyncGenerator<CheckResult> {
  for (const { name, run, isNeeded } of checks) {
    const finding = await found(run);
    yield { name, finding };
    if (isNeeded && finding.kind === "problem") return;
  }
}

async function found(run: Check["run"]): Promise<Finding> {
  try {
    return await run();
  } catch (error) {
    const remedy = error instanceof OperatorError ? error.remedy : undefined;
    return problem(
      error instanceof Error ? error.message : String(error),
      remedy ?? "fix what the message says, and run this again",
    );
  }
}
