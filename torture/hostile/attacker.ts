// Runs one attacker in this process. Usage: bun torture/hostile/attacker.ts '<assignment as JSON>'

import type { Assignment, Attacker, Toll } from "./attackers/attacker.ts";
import { bodyAttackers, oneByteChunks } from "./attackers/bodies.ts";
import {
  connectAndClose,
  docsScript,
  forwardedAddresses,
  madeUpKeys,
  newConnections,
  pipelined,
  quotaFlood,
  writeFlood,
} from "./attackers/floods.ts";
import { idleConnections, neverRead, slowBodies, slowHeads } from "./attackers/slow.ts";

const ATTACKERS: Readonly<Record<string, Attacker>> = {
  ...bodyAttackers,
  oneByteChunks,
  pipelined,
  madeUpKeys,
  newConnections,
  forwardedAddresses,
  quotaFlood,
  writeFlood,
  docsScript,
  connectAndClose,
  slowHeads,
  slowBodies,
  neverRead,
  idleConnections,
};

const assignment: Assignment = JSON.parse(process.argv[2] as string);
const attacker = ATTACKERS[assignment.attacker];
if (!attacker) throw new Error(`there is no attacker named ${assignment.attacker}`);
const toll: Toll = { requests: 0, answers: 0, closed: 0 };
const endsAtMs = performance.now() + assignment.seconds * 1000;
const isOver = (): boolean => performance.now() >= endsAtMs || toll.requests >= assignment.maxRequests;
// Some attackers wait for responses that never come, and are cut off.
await Promise.race([attacker(assignment, toll, isOver), Bun.sleep(assignment.seconds * 1000 + 200)]);
process.stdout.write(JSON.stringify(toll));
process.exit(0);
