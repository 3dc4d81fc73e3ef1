import { openDatabaseFile } from "../../test/harness/rows/sqlite.ts";
import type { Scoreboard } from "../common/scoreboard.ts";
import type { Client } from "../workload/client.ts";

/** A crash may lose the counts of the last second; the rest is slack for a busy machine. */
const LOSABLE_MS = 1_000 + 500;
/** The first ban lasts a minute; the rest is slack. */
const BAN_MS = 55_000;

/** Uses keys beside the workers, and knows their counters and bans to expect after a crash. */
export class MeterWatch {
  /** The times at which the counted key's requests were answered. */
  #answeredAtMs: number[] = [];
  #bannedAtMs: number | undefined;

  constructor(private readonly board: Scoreboard) {}

  /** Sends a request now and then, until the service no longer answers. */
  async use(client: Client, isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      const outcome = await client.send({ method: "GET", target: "/pets?limit=1" });
      if (outcome.kind === "silence") return;
      this.#answeredAtMs.push(Date.now());
      await Bun.sleep(5);
    }
  }

  /** Sends requests until the key is banned. */
  async provokeBan(client: Client, isOver: () => boolean): Promise<void> {
    while (!isOver() && this.#bannedAtMs === undefined) {
      const outcome = await client.send({ method: "GET", target: "/pets?limit=1" });
      if (outcome.kind === "silence") return;
      if (outcome.body.includes("key_banned")) this.#bannedAtMs = Date.now();
    }
  }

  /** After a crash: checks the counted key's counter in the file, before anyone uses the key again. */
  checkCounter(path: string, keyName: string, killedAtMs: number): void {
    const db = openDatabaseFile(path, { readonly: true });
    const row = db
      .query(
        `SELECT minute_opened_at AS openedAtMs, minute_used AS used
         FROM tallies JOIN keys ON keys.id = key_id WHERE name = ?`,
      )
      .get(keyName) as { openedAtMs: number; used: number } | null;
    db.close();
    const { openedAtMs, used } = row ?? { openedAtMs: 0, used: 0 };
    const certain = this.#answeredAtMs.filter((atMs) => atMs >= openedAtMs && atMs < killedAtMs - LOSABLE_MS).length;
    this.board.count("counters compared");
    this.board.check(used >= certain, () => `a counter says ${used}, and ${certain} were answered a second before`);
    this.#answeredAtMs = this.#answeredAtMs.filter((atMs) => atMs >= openedAtMs).slice(0, used);
  }

  /** After a crash: a key that was reported as banned is still banned. */
  async checkBan(client: Client): Promise<void> {
    if (this.#bannedAtMs === undefined || Date.now() > this.#bannedAtMs + BAN_MS) return;
    const outcome = await client.send({ method: "GET", target: "/pets?limit=1" });
    this.board.count("bans compared");
    const body = outcome.kind === "answered" ? outcome.body : "nothing";
    this.board.check(body.includes("key_banned"), () => `a ban was forgotten: the key was answered with ${body}`);
  }
}
