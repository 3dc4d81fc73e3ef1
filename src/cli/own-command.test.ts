import { expect, test } from "bun:test";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../test/harness/folder.ts";
import { programName } from "./own-command.ts";

test("commands are printed so that they can be pasted, however the program was started", () => {
  const checkout = join(temporaryFolder(), "a checkout");
  const execPath = join(checkout, "build/animal-store");
  for (const file of [execPath, join(checkout, "bin/animal-store.js")]) {
    mkdirSync(join(file, ".."), { recursive: true });
    writeFileSync(file, "");
    chmodSync(file, 0o755);
  }
  const onPath = join(temporaryFolder(), "animal-store");
  symlinkSync(execPath, onPath);
  const elsewhere = temporaryFolder();
  expect(programName({ execPath, cwd: elsewhere, onPath })).toBe("animal-store");
  expect(programName({ execPath, cwd: checkout, onPath: null })).toBe("npx animal-store");
  expect(programName({ execPath, cwd: elsewhere, onPath: null })).toBe(`'${execPath}'`);
  const ofNpx = join(temporaryFolder(), "_npx/node_modules/.bin/animal-store");
  mkdirSync(join(ofNpx, ".."), { recursive: true });
  symlinkSync(join(checkout, "bin/animal-store.js"), ofNpx);
  expect(programName({ execPath, cwd: checkout, onPath: ofNpx })).toBe("npx animal-store");
  // It may have been removed since, or no file can be opened to follow its links: nothing may fail because of that.
  expect(programName({ execPath, cwd: elsewhere, onPath: join(elsewhere, "removed/animal-store") })).toBe(
    `'${execPath}'`,
  );
  // Another program of this name would run something else.
  const other = join(elsewhere, "animal-store");
  writeFileSync(other, "");
  expect(programName({ execPath, cwd: checkout, onPath: other })).toBe("npx animal-store");
  expect(programName({ execPath: "/usr/bin/bun", cwd: elsewhere, onPath: null })).toBe("npx animal-store");
});
