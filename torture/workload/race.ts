import type { AnimalView, Holding, Ledger } from "../ledger/ledger.ts";
import { type Client, type Outcome, type Request, saysNothingChanged } from "./client.ts";

/** One of several concurrent requests, of which only one can succeed. */
export interface Rival {
  readonly request: Request;
  readonly view: AnimalView;
  /** The status if it succeeds, and those if another request won. */
  readonly done: number;
  readonly beaten: readonly number[];
  readonly onDone?: (body: string) => void;
}

/** The outcome of a race: "certain" if every request was answered. */
export type RaceOutcome = "certain" | "in doubt" | "silence";

/** Sends concurrent requests for the same animal, and checks that exactly one succeeds. */
export async function race(
  client: Client,
  ledger: Ledger,
  { handle, history }: Holding,
  rivals: readonly Rival[],
): Promise<RaceOutcome> {
  const { board } = ledger;
  // Requests for the same change are one step: the database does not show whose it was.
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
