// What npm runs when the packages are not installed: it says what to do, in one line. No packages, and no new syntax.
"use strict";

const NEEDED = 20;
const { node } = process.versions;

console.error(
  Number.parseInt(node, 10) < NEEDED
    ? `animal-store: Node ${NEEDED} or newer is needed, and this is ${node}: install it, then run npm ci`
    : "animal-store: its packages are not installed: run npm ci first",
);
process.exit(1);
