import type { Authorship } from "../../../src/domain/journal.ts";

/** Who makes the changes that tests make, and when, if that does not matter. */
export const SIGNED: Authorship = { by: "tester", via: "command", atMs: 1 };
