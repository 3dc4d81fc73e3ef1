import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { playAll, reservationsOf } from "../../torture/all/all.ts";
import { playTurn } from "../../torture/all/process.ts";
import { type Facts, type Played, replaceSections, sectionsOf } from "../../torture/all/report.ts";
import { type Turn, Turns } from "../../torture/all/turns.ts";
import { ATTACKS, type AttackName, readOrder, usage } from "../../torture/arguments.ts";
import { Scoreboard } from "../../torture/common/scoreboard.ts";

const NAMES = Object.keys(ATTACKS) as AttackName[];

describe("arguments", () => {
  const read = (line: string) => readOrder(line.split(" ").filter(Boolean));

  test("all takes hours or minutes, and one attack takes a minute by default", () => {
    expect(read("all --hours 2 --seed 7")).toMatchObject({ name: "all", minutes: 120, seed: 7 });
    expect(read("all --hours 24")).toMatchObject({ minutes: 1_440 });
    expect(read("all --minutes 8")).toMatchObject({ minutes: 8 });
    expect(read("crash")).toMatchObject({ name: "crash", minutes: 1 });
    expect(read("outages --only PgBouncer")).toMatchObject({ only: "PgBouncer" });
    expect(read("--help")).toBe("");
    for (const word of ["all", "--hours", ...NAMES]) expect(usage()).toContain(word);
  });

  test.each([
    ["", "name one attack, or all"],
    ["everything --hours 2", "name one attack, or all"],
    ["constructor", "name one attack, or all"],
    ["crash fuzz", "name one attack, or all"],
    ["all", "say how long"],
    ["all --hours 0", "--hours must be a number above 0"],
    ["all --hours=-1", "--hours must be a number above 0"],
    ["all --hours two", "--hours must be a number above 0"],
    ["all --hours=", "--hours must be a number above 0"],
    ["all --hours Infinity", "--hours must be a number above 0"],
    ["crash --minutes 0", "--minutes must be a number above 0"],
    ["all --hours 1 --minutes 60", "not both"],
    ["all --hours 1 --seed x", "--seed must be a whole number"],
    ["all --hours 1 --only PgBouncer", "--only is for outages"],
    ["all --hours 1 --result x.json", "--result is for one attack"],
    ["all --days 1", "--days"],
  ])("%p is refused", (line, message) => {
    expect(read(line)).toContain(message);
  });
});

describe("time", () => {
  /** Plays a run in which each turn takes its time and this many minutes more. */
  function divide(minutes: number, late: (turn: Turn) => number = () => 0): Turn[] {
    const turns = new Turns(NAMES, minutes, 100);
    const played: Turn[] = [];
    for (let turn = turns.next(); turn; turn = turns.next()) {
      played.push(turn);
      turns.note(turn, turn.minutes + late(turn));
    }
    return played;
  }
  const minutesOf = (turns: readonly Turn[], name: AttackName): number =>
    turns.reduce((sum, turn) => (turn.name === name ? sum + turn.minutes : sum), 0);

  test.each([1, 8, 120, 1_440])(
    "%p minutes are divided evenly, with a new seed for each turn of an attack",
    (minutes) => {
      const turns = divide(minutes);
      for (const name of NAMES) {
        expect(minutesOf(turns, name)).toBeCloseTo(minutes / NAMES.length, 6);
        const seeds = turns.filter((turn) => turn.name === name).map(({ seed }) => seed);
        expect(seeds).toEqual(seeds.map((_, i) => 100 + i));
      }
    },
  );

  test("in two hours all attacks come before any comes again, and those with rows have time for all of them", () => {
    const turns = divide(120);
    expect(turns.slice(0, NAMES.length).map(({ name }) => name)).toEqual(NAMES);
    for (const name of ["hostile", "outages"]) expect(turns.filter((turn) => turn.name === name)).toHaveLength(1);
    expect(turns.filter(({ name }) => name === "crash")).toHaveLength(3);
  });

  test("who takes longer gets fewer turns, and no other attack less time", () => {
    const turns = divide(120, ({ name }) => (name === "fleet" ? 20 : 0));
    expect(turns.filter(({ name }) => name === "fleet")).toHaveLength(1);
    expect(minutesOf(turns, "crash")).toBeCloseTo(120 / NAMES.length, 6);
  });
});

/** Plays all attacks by a clock that only they move. */
async function playByClock(minutes: number, play: (turn: Turn) => Scoreboard, signal = new AbortController().signal) {
  let nowMs = 0;
  const written: number[] = [];
  const played = await playAll({
    minutes,
    seed: 5,
    signal,
    nowMs: () => nowMs,
    onPlayed: (so) => written.push(so.length),
    play: async (turn) => {
      const board = play(turn);
      nowMs += board.of("rounds") === 0 ? 0 : turn.minutes * 60_000;
      return board;
    },
  });
  return { played, written };
}

function boardWith(rounds: number, ...violations: readonly string[]): Scoreboard {
  const board = new Scoreboard();
  if (rounds > 0) board.count("rounds", rounds);
  for (const text of violations) board.violation(text);
  return board;
}

describe("a run", () => {
  test("an attack that fails at once does not end the others, and is not tried for ever", async () => {
    const { played, written } = await playByClock(120, ({ name }) =>
      name === "power" ? boardWith(0, "the attack itself failed") : boardWith(1),
    );
    expect(new Set(played.map(({ turn }) => turn.name))).toEqual(new Set(NAMES));
    expect(played.filter(({ turn }) => turn.name === "power")).toHaveLength(3);
    expect(written).toEqual(played.map((_, i) => i + 1));
  });

  test("an interruption ends it after the turn", async () => {
    const interruption = new AbortController();
    const { played } = await playByClock(
      120,
      ({ name }) => {
        if (name === "power") interruption.abort();
        return boardWith(1);
      },
      interruption.signal,
    );
    expect(played.map(({ turn }) => turn.name)).toEqual(["crash", "import", "power"]);
  });

  test("says so if the code was not that of one revision", () => {
    const clean = { revision: "a", changes: "" };
    expect(reservationsOf(clean, clean, false)).toEqual([]);
    expect(reservationsOf({ ...clean, changes: " M src/x.ts" }, { ...clean, changes: " M src/x.ts" }, false)).toEqual([
      expect.stringContaining("not committed"),
    ]);
    expect(reservationsOf(clean, { ...clean, revision: "b" }, true)).toEqual([
      expect.stringContaining("changed during the run"),
      expect.stringContaining("Interrupted"),
    ]);
  });
});

describe("a turn's process", () => {
  const folder = mkdtempSync(join(tmpdir(), "animal-store-turns-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  let seed = 0;
  const newTurn = (): Turn => ({ name: "soak", minutes: 1, seed: seed++ });
  const script = (code: string) => ({
    folder,
    commandOf: (_: Turn, result: string) => [
      process.execPath,
      "-e",
      `const result = ${JSON.stringify(result)};${code}`,
    ],
  });
  const write = (board: Scoreboard): string => `await Bun.write(result, ${JSON.stringify(JSON.stringify(board))});`;

  test("what it writes is what is read: sums, highest values, violations and rows", async () => {
    const board = boardWith(2, "lost");
    board.highest("slowest, ms", 7.5);
    board.row("first").count("requests", 4);
    const read = await playTurn(newTurn(), script(`${write(board)} process.exit(1)`));
    expect(read.toJSON()).toEqual(board.toJSON());
    read.add(board);
    expect(read.figures).toEqual({ rounds: 4, "slowest, ms": 7.5 });
    expect(read.row("first").of("requests")).toBe(8);
    expect(read.violations).toEqual(["lost", "lost"]);
  });

  test.each([
    ["ends without a result", "console.error('no memory'); process.exit(3)", "ended with exit code 3: no memory"],
    ["is killed", "process.kill(process.pid, 'SIGKILL'); await Bun.sleep(60_000)", "was ended by SIGKILL"],
    ["fails after its result", `${write(boardWith(1))} process.exit(1)`, "ended with exit code 1"],
    ["does nothing", write(boardWith(0)), "did nothing"],
  ])("one that %s is a violation", async (_, code, message) => {
    const { violations } = await playTurn(newTurn(), script(code));
    expect(violations).toEqual([expect.stringContaining(message)]);
  });

  test("one that is told to end ends by itself, with a result", async () => {
    const interruption = new AbortController();
    const ready = join(folder, "ready");
    const code = `
      process.on("SIGTERM", async () => { ${write(boardWith(1))} process.exit(0) });
      setInterval(() => {}, 1_000);
      await Bun.write(${JSON.stringify(ready)}, "");`;
    const ending = playTurn(newTurn(), { ...script(code), signal: interruption.signal });
    while (!existsSync(ready)) await Bun.sleep(5);
    interruption.abort();
    expect((await ending).figures).toEqual({ rounds: 1 });
  });

  test("one that takes too long is told to end, and one that hangs is killed", async () => {
    const told = await playTurn(newTurn(), { ...script("setInterval(() => {}, 1_000)"), tellAfterMs: 1 });
    expect(told.violations).toEqual([expect.stringContaining("was ended by SIGTERM")]);
    const killed = await playTurn(newTurn(), { ...script("setInterval(() => {}, 1_000)"), killAfterMs: 1 });
    expect(killed.violations).toEqual([expect.stringContaining("did not end, and was killed")]);
  });

  test.skipIf(process.platform !== "linux")("nothing that it started or wrote is left", async () => {
    const code = `
      const { mkdtempSync, writeFileSync } = require("node:fs");
      const cwd = mkdtempSync(process.env.TMPDIR + "/data-");
      const start = (detached) => Bun.spawn(["sleep", "600"], { cwd, detached }).pid;
      writeFileSync(${JSON.stringify(join(folder, "left.json"))}, JSON.stringify({ cwd, pids: [start(false), start(true)] }));
      ${write(boardWith(1))}
      process.exit(0);`;
    expect((await playTurn(newTurn(), script(code))).violations).toEqual([]);
    const left: { cwd: string; pids: number[] } = JSON.parse(readFileSync(join(folder, "left.json"), "utf8"));
    expect(existsSync(left.cwd)).toBe(false);
    const isAlive = (pid: number): boolean =>
      existsSync(`/proc/${pid}/stat`) && !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
    for (const pid of left.pids) while (isAlive(pid)) await Bun.sleep(5);
    expect(readdirSync(folder)).toContain(`soak-${seed - 1}.log`);
  });
});

describe("the tables", () => {
  const facts: Facts = {
    command: "npm run torture -- all --hours 2 --seed 5",
    date: "2026-11-18",
    minutes: 123.4,
    revision: "0123456789ab",
    machine: "2 cores",
    reservations: [],
  };
  const played = (name: AttackName, seed: number, board: Scoreboard): Played => ({
    turn: { name, seed, minutes: 4.44444 },
    minutes: 4.5,
    board,
  });

  test("add up the turns of an attack, and tell each violation with its seed", () => {
    const { scoreboard } = sectionsOf({ ...facts, reservations: ["Interrupted before its end."] }, [
      played("crash", 5, boardWith(1_000)),
      played("fuzz", 5, boardWith(1)),
      played("crash", 6, boardWith(234, "animal 1 was\n`lost` | gone", "animal 2 was\n`lost` | gone")),
    ]);
    expect(scoreboard).toContain("2 h 3 min, revision `0123456789ab`, 2 cores");
    expect(scoreboard).toContain("**Interrupted before its end.**");
    expect(scoreboard).toContain("| crash | 9 min, seeds 5 to 6 | rounds: 1,234 | 2 |");
    expect(scoreboard).toContain("| fuzz | 4.5 min, seed 5 | rounds: 1 | 0 |");
    expect(scoreboard).toContain("crash-6, 2 violations (`npm run torture -- crash --minutes 4.44 --seed 6`)");
    expect(scoreboard).toContain("- 2 × `animal 1 was 'lost' | gone`");
  });

  test("have a line for each row of outages and of hostile clients", () => {
    const outages = boardWith(1);
    outages.row("PostgreSQL frozen").count("requests", 4_321);
    const hostile = boardWith(1);
    hostile.row("many chunks").highest("beside the attack, p99, ms", 12.3);
    const sections = sectionsOf(facts, [played("outages", 5, outages), played("hostile", 5, hostile)]);
    expect(sections.outages).toMatch(/^\| PostgreSQL frozen +\| +4,321 \|.* pass \|$/m);
    expect(sections.hostile).toMatch(/^\| many chunks \|.* 12 \/ .*\|$/m);
    expect(sectionsOf(facts, []).hostile).toContain("No row was played");
  });

  test("replace what is between the markers of the document, and nothing else", async () => {
    const document = await Bun.file(join(import.meta.dir, "../../docs/reliability.md")).text();
    const once = replaceSections(document, {
      scoreboard: "NEW BOARD",
      outages: "NEW $& OUTAGES",
      hostile: "NEW HOSTILE",
    });
    expect(once.match(/NEW .*/g)).toEqual(["NEW BOARD", "NEW $& OUTAGES", "NEW HOSTILE"]);
    const outside = (text: string): string => text.replaceAll(/(<!-- torture:\w+ -->).*?(<!-- \/torture)/gs, "$1$2");
    expect(outside(once)).toBe(outside(document));
    expect(() => replaceSections(document.replace("<!-- /torture:hostile -->", ""), sectionsOf(facts, []))).toThrow(
      "needs the markers",
    );
  });
});
