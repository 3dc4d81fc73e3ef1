// Run by npm scripts if the packages are not installed: says what to do, in one line, without packages or new syntax.
"use strict";

const NEEDED = 20;
const { node } = process.versions;

console.error(
  Number.parseInt(node, 10) < NEEDED
    ? `animal-store: Node ${NEEDED} or newer is needed, and this is ${node}: install it, then run npm ci`
    : "animal-store: its packages are not installed: run npm ci first",
);
process.exit(1);
