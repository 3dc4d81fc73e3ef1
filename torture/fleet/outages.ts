import type { Random } from "../common/random.ts";
import type { Scoreboard } from "../common/scoreboard.ts";
import type { FleetStage, Instance } from "./stage.ts";

const TERMINATE_SOME = `
  SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE application_name LIKE 'animal-store%' AND random() < 0.5`;

/** The parts that an outage works with. */
export interface Scene {
  readonly stage: FleetStage;
  readonly instance: Instance;
  readonly board: Scoreboard;
  /** Waits for the duration of an outage, within bounds. */
  readonly lasting: (shortestMs: number, longestMs: number) => Promise<void>;
}

export interface Outage {
  readonly name: string;
  /** The part that fails. Two simultaneous outages must not affect the same part. */
  readonly of: "instance" | "Redis" | "PostgreSQL";
  /** Resolves when the outage is over. */
  readonly happen: (scene: Scene) => Promise<void>;
}

export const OUTAGES: readonly Outage[] = [
  {
    name: "kills of an instance",
    of: "instance",
    async happen({ stage, instance, lasting }) {
      await instance.service.kill("SIGKILL");
      await lasting(0, 1_000);
      await stage.restart(instance);
    },
  },
  {
    name: "stops of an instance",
    of: "instance",
    async happen({ stage, instance, board, lasting }) {
      const exitCode = await instance.service.kill("SIGTERM");
      board.check(exitCode === 0, `${instance.name} was stopped by SIGTERM, and ended with ${exitCode}`);
      await lasting(0, 1_000);
      await stage.restart(instance);
    },
  },
  {
    name: "hangs of an instance",
    of: "instance",
    async happen({ instance, lasting }) {
      instance.service.child.kill("SIGSTOP");
      await lasting(400, 4_000);
      instance.service.child.kill("SIGCONT");
    },
  },
  {
    name: "stops of Redis",
    of: "Redis",
    async happen({ stage: { redis }, lasting }) {
      await redis.stop();
      await lasting(300, 3_000);
      await redis.start();
    },
  },
  {
    name: "hangs of Redis",
    of: "Redis",
    async happen({ stage: { redis }, lasting }) {
      redis.pause();
      await lasting(300, 3_000);
      redis.resume();
    },
  },
  {
    name: "restarts of Redis",
    of: "Redis",
    async happen({ stage: { redis } }) {
      await redis.stop();
      await redis.start();
    },
  },
  {
    name: "hangs of PostgreSQL",
    of: "PostgreSQL",
    async happen({ stage: { postgres }, lasting }) {
      postgres.pause();
      // Longer than the 1.8 s that an instance waits for PostgreSQL.
      await lasting(2_000, 5_000);
      postgres.resume();
    },
  },
  {
    name: "restarts of PostgreSQL",
    of: "PostgreSQL",
    async happen({ stage: { postgres }, lasting }) {
      await postgres.stop("fast");
      await lasting(0, 2_000);
      await postgres.start();
    },
  },
  {
    name: "immediate restarts of PostgreSQL",
    of: "PostgreSQL",
    async happen({ stage: { postgres }, lasting }) {
      await postgres.stop("immediate");
      await lasting(0, 2_000);
      await postgres.start();
    },
  },
  {
    name: "terminations of backends",
    of: "PostgreSQL",
    async happen({ stage: { postgres }, lasting }) {
      for (let i = 0; i < 5; i++) {
        await postgres.admin((sql) => sql.unsafe(TERMINATE_SOME));
        await lasting(20, 200);
      }
    },
  },
  {
    name: "breaks of connections to PostgreSQL",
    of: "PostgreSQL",
    async happen({ stage: { wire }, lasting }) {
      wire.cutAnswer = (piece) => Math.floor(piece.length / 2);
      await lasting(0, 500);
      wire.cutAnswer = undefined;
      wire.cut();
    },
  },
  {
    name: "silence of connections to PostgreSQL",
    of: "PostgreSQL",
    async happen({ stage: { wire }, lasting }) {
      wire.newConnections = "swallowed";
      wire.silence();
      await lasting(500, 4_000);
      wire.newConnections = "carried";
    },
  },
];

/** Yields all outages in random order, in pairs that can happen at the same time; then again in another order. */
export function* pairs(random: Random): Generator<readonly Outage[]> {
  for (;;) {
    let decks = [...Map.groupBy(random.shuffle(OUTAGES), ({ of }) => of).values()];
    while (decks.length > 0) {
      // Drawn from the largest decks first, so that no outage is left without a partner.
      decks.sort((a, b) => b.length - a.length);
      yield decks.slice(0, 2).map((deck) => deck.pop() as Outage);
      decks = decks.filter((deck) => deck.length > 0);
    }
  }
}
