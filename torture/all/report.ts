import type { AttackName } from "../arguments.ts";
import { Scoreboard } from "../common/scoreboard.ts";
import { table as hostileTable } from "../hostile/table.ts";
import { table as outagesTable } from "../outages/row.ts";
import { nameOf } from "./process.ts";
import type { Turn } from "./turns.ts";

/** A turn that was played. */
export interface Played {
  readonly turn: Turn;
  readonly minutes: number;
  readonly board: Scoreboard;
}

/** The circumstances of a run. */
export interface Facts {
  readonly command: string;
  readonly date: string;
  readonly minutes: number;
  readonly revision: string;
  readonly machine: string;
  /** Sentences that limit what the run shows: changes that were not committed, an interruption. */
  readonly reservations: readonly string[];
}

export const SECTIONS = ["scoreboard", "outages", "hostile"] as const;
export type Sections = Readonly<Record<(typeof SECTIONS)[number], string>>;

/** The sections of docs/reliability.md that a run writes. */
export function sectionsOf(facts: Facts, played: readonly Played[]): Sections {
  const attacks = [...Map.groupBy(played, ({ turn }) => turn.name)];
  const rowsOf = (name: AttackName): ReadonlyMap<string, Scoreboard> =>
    sumOf(played.filter(({ turn }) => turn.name === name)).rows;
  const outages = new Map([...rowsOf("outages")].map(([name, board]) => [{ name }, board] as const));
  const hostile = rowsOf("hostile");
  return {
    scoreboard: [
      introductionOf(facts),
      ["| attack | how long | what it did | violations |", "|---|---|---|---|", ...attacks.map(lineOn)].join("\n"),
      ...violationsOf(played),
    ].join("\n\n"),
    outages: outages.size === 0 ? NO_ROW : `${originOf(facts)}\n\n${outagesTable(outages)}`,
    hostile:
      hostile.size === 0
        ? NO_ROW
        : `${originOf(facts)} Of several rounds, times are the worst.\n\n${hostileTable(hostile)}`,
  };
}

const NO_ROW = "No row was played in the last run of all attacks.";

function introductionOf({ command, date, minutes, revision, machine, reservations }: Facts): string {
  const reserved = reservations.map((text) => ` **${text}**`).join("");
  return `\`${command}\`, ${date}, ${duration(minutes)}, revision \`${revision}\`, ${machine}; attackers, clients and service share its cores.${reserved}`;
}

const originOf = ({ date, revision }: Facts): string => `From the run of ${date}, revision \`${revision}\`.`;

export function duration(minutes: number): string {
  if (minutes < 60) return `${Number(minutes.toFixed(1))} min`;
  const whole = Math.round(minutes);
  return `${Math.floor(whole / 60)} h ${whole % 60} min`;
}

/** All that several turns have found. */
export function sumOf(played: readonly Played[]): Scoreboard {
  const sum = new Scoreboard();
  for (const { board } of played) sum.add(board);
  return sum;
}

function lineOn([name, played]: readonly [AttackName, readonly Played[]]): string {
  const { figures, violations } = sumOf(played);
  const minutes = played.reduce((sum, each) => sum + each.minutes, 0);
  const did = Object.entries(figures).map(
    ([figure, value]) => `${figure}: ${Math.round(value).toLocaleString("en-US")}`,
  );
  return `| ${name} | ${duration(minutes)}, ${seedsOf(played)} | ${did.join("; ") || "nothing"} | ${violations.length} |`;
}

function seedsOf(played: readonly Played[]): string {
  const seeds = played.map(({ turn }) => turn.seed);
  return seeds.length === 1 ? `seed ${seeds[0]}` : `seeds ${Math.min(...seeds)} to ${Math.max(...seeds)}`;
}

/** Each kind of violation of each turn, with how to repeat it. */
function violationsOf(played: readonly Played[]): string[] {
  const failed = played.filter(({ board }) => board.violations.length > 0);
  return failed.map(({ turn, board }) => {
    const { name, minutes, seed } = turn;
    const kinds = board.kindsOfViolations().map(({ count, example }) => `- ${count} × \`${plain(example)}\``);
    const repeat = `npm run torture -- ${name} --minutes ${Number(minutes.toFixed(2))} --seed ${seed}`;
    return `${nameOf(turn)}, ${board.violations.length} violations (\`${repeat}\`):\n\n${kinds.join("\n")}`;
  });
}

const MAX_CHARACTERS = 300;
/** A violation as one line of code. */
const plain = (text: string): string => text.replaceAll(/\s+/g, " ").replaceAll("`", "'").slice(0, MAX_CHARACTERS);

const markersOf = (section: string): readonly [string, string] => [
  `<!-- torture:${section} -->`,
  `<!-- /torture:${section} -->`,
];

/** Puts sections between their markers. What stands around them stays. */
export function replaceSections(document: string, sections: Sections): string {
  return SECTIONS.reduce((text, section) => {
    const [begin, end] = markersOf(section);
    const [from, to] = [text.indexOf(begin), text.indexOf(end)];
    if (from < 0 || to < from)
      throw new Error(`docs/reliability.md needs the markers ${begin} and ${end}, in this order`);
    return `${text.slice(0, from + begin.length)}\n\n${sections[section]}\n\n${text.slice(to)}`;
  }, document);
}
