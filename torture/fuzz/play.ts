import { type Received, readAnswers, type WireAnswer } from "../wire/answers.ts";
import { Connection } from "../wire/connection.ts";
import { mistakeIn } from "./rules.ts";
import type { Script, Turn } from "./script.ts";

/** The outcome of a script. */
export interface Played {
  readonly script: Script;
  readonly answers: readonly WireAnswer[];
  readonly tookMs: number;
  readonly mistakes: readonly string[];
  /** Writes that may have been carried out without a response that confirms them. */
  readonly unanswered: Unanswered;
}

export interface Unanswered {
  readonly creations: number;
  readonly namings: number;
  readonly deletions: number;
}

/** The time limit for the response to a complete request. */
export const ANSWER_DEADLINE_MS = 15_000;
/** The time to wait for a response that may never come, because the bytes are no valid request. */
const PATIENCE_MS = 120;
const QUIET_MS = 12;

/** Plays a script on a new connection, and judges the responses. */
export async function play(origin: string, script: Script): Promise<Played> {
  const fromMs = performance.now();
  const connection = await Connection.open(origin);
  let isAnswered = true;
  for (const turn of script.turns) {
    if (connection.isClosed || !isAnswered) break;
    await send(connection, turn);
    isAnswered = script.due.length > 0 ? await awaitDue(connection, script, turn) : await awaitQuiet(connection);
  }
  const { answers, rest } = receivedBy(connection, script);
  const wasClosed = connection.isClosed;
  connection.cut();
  const mistakes = [...mistakesIn(script, answers)];
  if (!isAnswered) mistakes.push(`request ${answers.length + 1} was not answered within ${ANSWER_DEADLINE_MS} ms`);
  else if (answers.length < script.due.length && !closesItself(answers) && !mayBeCutShort(script, answers.length))
    mistakes.push(`the connection was closed after ${answers.length} of ${script.due.length} answers`);
  if (rest !== "" && script.due.length > 0)
    mistakes.push(`something follows the answers: ${JSON.stringify(rest.slice(0, 80))}`);
  const tookMs = performance.now() - fromMs;
  return { script, answers, tookMs, mistakes, unanswered: unansweredWrites(script, answers, wasClosed) };
}

/** True if a TCP reset may have overtaken the response to this request, or to one that was sent together with it. */
function mayBeCutShort({ due, turns }: Script, request: number): boolean {
  const together = turns.find(({ answersDue }) => answersDue > request)?.answersDue;
  return due.slice(request, together).some(({ mayBeCutShort }) => mayBeCutShort);
}

async function send(connection: Connection, { pieces }: Turn): Promise<void> {
  for (const [i, piece] of pieces.entries()) {
    if (i > 0) await Bun.sleep(1);
    connection.send(piece);
  }
}

function receivedBy(connection: Connection, { due }: Script): Received {
  return readAnswers(connection.received, (i) => (due.length === 0 ? "unknown" : due[i]?.method === "HEAD"));
}

/** True if the last response announces the end of the connection. */
const closesItself = (answers: readonly WireAnswer[]): boolean =>
  answers.at(-1)?.headers.get("connection")?.toLowerCase() === "close";

function awaitDue(connection: Connection, script: Script, { answersDue }: Turn): Promise<boolean> {
  let checkedBytes = 0;
  return connection.until(() => {
    if (connection.receivedBytes === checkedBytes) return false;
    checkedBytes = connection.receivedBytes;
    return receivedBy(connection, script).answers.length >= answersDue;
  }, ANSWER_DEADLINE_MS);
}

async function awaitQuiet(connection: Connection): Promise<true> {
  let seenBytes = 0;
  await connection.until(() => connection.receivedBytes > 0, PATIENCE_MS);
  while (!connection.isClosed && connection.receivedBytes > seenBytes) {
    seenBytes = connection.receivedBytes;
    await connection.until(() => connection.receivedBytes > seenBytes, QUIET_MS);
  }
  return true;
}

function* mistakesIn(script: Script, answers: readonly WireAnswer[]): Iterable<string> {
  for (const [i, answer] of answers.entries()) {
    const mistake = mistakeIn(answer, script.due[i]);
    if (mistake) yield `${mistake}, in ${JSON.stringify(answer.head)}`;
    if (script.kind === "stalled" && answer.status !== 408) yield `half a body was answered with ${answer.status}`;
  }
}

/** Counts everything sent that could be read as a POST, PUT or DELETE, except for what was answered as one. */
function unansweredWrites({ due, turns }: Script, answers: readonly WireAnswer[], wasClosed: boolean): Unanswered {
  if (due.length > 0 && (answers.length === due.length || !wasClosed))
    return { creations: 0, namings: 0, deletions: 0 };
  const text = Buffer.concat(turns.flatMap(({ pieces }) => pieces)).toString("latin1");
  const sent = (method: RegExp): number => text.match(method)?.length ?? 0;
  const created = answers.filter(({ status, headers }) => status === 201 && headers.has("location")).length;
  return {
    creations: Math.max(0, sent(/POS|OST/g) - created),
    namings: sent(/PUT/g),
    deletions: sent(/DELETE/g),
  };
}
