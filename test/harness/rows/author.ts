import type { Authorship } from "../../../src/domain/journal.ts";

/** The author and time of changes in tests for which neither matters. */
export const SIGNED: Authorship = { by: "tester", via: "command", atMs: 1 };
