import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../harness/folder.ts";
import { startService } from "../harness/service/service.ts";

const service = await startService();
const document = await service.document();

interface Sample {
  readonly lang: string;
  readonly source: string;
}

const operations = Object.values<Record<string, { operationId: string; "x-codeSamples": Sample[] }>>(
  document.paths,
).flatMap((path) => Object.values(path));

/** The commands that run a pasted sample, by language. */
const COMMANDS: Record<string, string[]> = {
  Shell: ["sh", "-c"],
  JavaScript: [process.execPath, "-e"],
  Python: ["python3", "-c"],
};

test("every operation has a sample in each language, with the address of this service and one name for the key", () => {
  for (const { "x-codeSamples": samples } of operations) {
    expect(samples.map(({ lang }) => lang)).toEqual(Object.keys(COMMANDS));
    for (const { source } of samples) {
      expect(source).toContain(`"${service.publicUrl}/`);
      expect(source).toMatch(/\bAPI_KEY\b/);
      expect(source).not.toMatch(/ask_|YOUR_|<key>/);
    }
  }
});

/** A folder with a uuidgen, for machines that have none. */
const uuidgen = temporaryFolder();
writeFileSync(join(uuidgen, "uuidgen"), "#!/bin/sh\ncat /proc/sys/kernel/random/uuid\n", { mode: 0o755 });

describe("samples can be pasted and run", () => {
  for (const [lang, [program = "", ...options]] of Object.entries(COMMANDS)) {
    test.skipIf(!Bun.which(lang === "Shell" ? "curl" : program))(lang, async () => {
      for (const name of ["createPet", "listPets", "getKey", "putCategory"]) {
        const { "x-codeSamples": samples } = operations.find(
          ({ operationId }) => operationId === name,
        ) as (typeof operations)[number];
        const { source } = samples.find((sample) => sample.lang === lang) as Sample;
        const env = { PATH: `${process.env.PATH}:${uuidgen}`, API_KEY: service.boundless };
        const child = Bun.spawn([program, ...options, source], { env, stdout: "pipe", stderr: "pipe" });
        const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
        expect([await child.exited, lang === "Shell" ? "" : err]).toEqual([0, ""]);
        expect(out).toMatch(/^(20[01] )?[{[]/);
        expect(out).not.toContain('"code"');
      }
    });
  }
});
