import { type Client, type Outcome, type Request, saysNothingChanged } from "./client.ts";
import type { AnimalView, Holding, Ledger } from "./ledger.ts";

/** Something that several clients ask for at once, of which only one can be done. */
export interface Rival {
  readonly request: Request;
  readonly view: AnimalView;
  /** Of the answer that it is done, and of the one that another was. */
  readonly done: number;
  readonly beaten: readonly number[];
  readonly onDone?: (body: string) => void;
}

/** How it ended: "certain" if everyone knows what became of their request. */
export type RaceOutcome = "certain" | "in doubt" | "silence";

/** Several clients want something of the same animal: one of them gets it. */
export async function race(
  client: Client,
  ledger: Ledger,
  { handle, history }: Holding,
  rivals: readonly Rival[],
): Promise<RaceOutcome> {
  const { board } = ledger;
  // Those who want the same are one step: whose it was makes no difference to what is there.
  const views = [...Map.groupBy(rivals, ({ view }) => view)];
  const steps = new Map(views.map(([view]) => [view, history.send(view, ledger.now())]));
  const runs = await Promise.all(rivals.map(async (rival) => ({ rival, outcome: await client.send(rival.request) })));
  board.count("races");
  const winners = runs.filter(({ rival, outcome }) => outcome.kind === "answered" && outcome.status === rival.done);
  board.check(winners.length <= 1, () => `${handle} was given to ${winners.length}: ${winners.map(describe)}`);
  for (const run of runs) {
    const { rival, outcome } = run;
    const isRight = outcome.kind === "silence" || [rival.done, ...rival.beaten, 503].includes(outcome.status);
    board.check(isRight, () => `${handle}: ${describe(run)}`);
  }
  const [winner] = winners;
  const isCertain = runs.every(({ outcome }) => isKnown(outcome));
  for (const [view, step] of steps)
    if (winner && view === winner.rival.view) step.ackedAt = ledger.now();
    else if (winner || isCertain) step.refusedAt = ledger.now();
  if (winner?.outcome.kind === "answered") {
    board.count("acknowledged");
    winner.rival.onDone?.(winner.outcome.body);
  } else if (isCertain) {
    const isBeaten = ({ rival, outcome }: Run) => outcome.kind === "answered" && rival.beaten.includes(outcome.status);
    board.check(!runs.some(isBeaten), () => `${handle} was free, and nobody got it: ${runs.map(describe)}`);
  }
  if (runs.some(({ outcome }) => outcome.kind === "silence")) return "silence";
  return isCertain ? "certain" : "in doubt";
}

interface Run {
  readonly rival: Rival;
  readonly outcome: Outcome;
}

const isKnown = (outcome: Outcome): boolean =>
  outcome.kind === "answered" && (outcome.status !== 503 || saysNothingChanged(outcome.body));

const describe = ({ rival: { request }, outcome }: Run): string =>
  `${request.method} ${request.target} was answered with ${outcome.kind === "silence" ? "nothing" : `${outcome.status} ${outcome.body}`}`;
