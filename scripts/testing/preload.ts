// Loaded before a test file: SQLite's writer thread starts from the bundle that the runner has made. A file that is
// run alone uses the source.

import type { Replacement } from "./writer-bundle.ts";

const replacement: Replacement | undefined = JSON.parse(process.env.TEST_WRITER ?? "null") ?? undefined;

globalThis.Worker = class extends Worker {
  constructor(script: string | URL, options?: WorkerOptions) {
    super(String(script) === replacement?.source ? replacement.bundle : script, options);
  }
};
