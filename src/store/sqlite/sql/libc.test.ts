import { expect, test } from "bun:test";
import { statSync } from "node:fs";
import { inodeLookup } from "./libc.ts";

test.if(process.platform === "linux")(
  "an inode is looked up, also after a garbage collection; 0 if there is none",
  () => {
    const lookUp = inodeLookup(import.meta.path) as () => number;
    for (let i = 0; i < 3; i++) {
      expect(lookUp()).toBe(statSync(import.meta.path).ino);
      Bun.gc(true);
    }
    expect(inodeLookup(`${import.meta.path}-none`)?.()).toBe(0);
  },
);
