import { ANIMAL_STATUSES, NAME_MAX_CODE_POINTS } from "../domain/animal.ts";
import { type Check, ok, problem } from "../domain/checkup.ts";
import { movesFrom, ORDER_STATUSES, type OrderStatus, PLACING } from "../domain/order.ts";
import { PLAN_NAMES } from "../domain/plan.ts";
import { TALLY_NUMBER_NAMES } from "../domain/tally.ts";
import { decodeSavedContent } from "./saved-content.ts";

// What is true of every store at every moment, in SQL that both databases understand. A statement selects what breaks
// the rule, by the id to look it up by.

interface Invariant {
  readonly name: string;
  readonly broken: string;
  readonly remedy: string;
}

const textList = (values: readonly string[]): string => `(${values.map((value) => `'${value}'`).join(", ")})`;

const OPEN = textList(ORDER_STATUSES.filter((status) => movesFrom(status).length > 0));
const SALE: OrderStatus = "delivered";
const RESTORE_OR_CORRECT = "restore a backup, or correct these rows by hand with the service stopped";

const INVARIANTS: readonly Invariant[] = [
  {
    name: "an animal in an open order is pending",
    broken: `SELECT o.id FROM orders o JOIN animals a ON a.id = o.animal_id WHERE o.status IN ${OPEN} AND a.status <> '${PLACING.to}'`,
    remedy: RESTORE_OR_CORRECT,
  },
  {
    name: "an animal that was delivered is sold",
    broken: `SELECT o.id FROM orders o JOIN animals a ON a.id = o.animal_id WHERE o.status = '${SALE}' AND a.status <> 'sold'`,
    remedy: RESTORE_OR_CORRECT,
  },
  {
    name: "an animal is sold once",
    broken: `SELECT animal_id AS id FROM orders WHERE status IN ${OPEN} OR status = '${SALE}' GROUP BY animal_id HAVING count(*) > 1`,
    remedy: RESTORE_OR_CORRECT,
  },
  {
    name: "an order belongs to an animal",
    broken: "SELECT o.id FROM orders o LEFT JOIN animals a ON a.id = o.animal_id WHERE a.id IS NULL",
    remedy: RESTORE_OR_CORRECT,
  },
  {
    name: "orders are well-formed",
    broken: `SELECT id FROM orders WHERE id < 1 OR placed_at <= 0 OR status NOT IN ${textList(ORDER_STATUSES)}`,
    remedy: RESTORE_OR_CORRECT,
  },
  {
    name: "orders are updated after they are placed",
    broken: "SELECT id FROM orders WHERE updated_at < placed_at",
    remedy:
      "a clock was set back; it does no harm, and UPDATE orders SET updated_at = placed_at WHERE updated_at < placed_at mends it",
  },
  {
    name: "animals are well-formed",
    broken: `SELECT id FROM animals WHERE id < 1 OR length(name) NOT BETWEEN 1 AND ${NAME_MAX_CODE_POINTS} OR status NOT IN ${textList(ANIMAL_STATUSES)}`,
    remedy: RESTORE_OR_CORRECT,
  },
  {
    name: "keys are well-formed",
    broken: `SELECT id FROM keys WHERE plan NOT IN ${textList(PLAN_NAMES)} OR per_minute < 1 OR per_day < per_minute OR created_at <= 0`,
    remedy: "revoke these keys, and issue new ones",
  },
  {
    name: "every key has a secret",
    broken: "SELECT k.id FROM keys k LEFT JOIN secrets s ON s.key_id = k.id WHERE s.digest IS NULL",
    remedy: "give these keys a new secret with animal-store keys rotate",
  },
  {
    name: "secrets are well-formed",
    broken: `SELECT s.key_id AS id FROM secrets s LEFT JOIN keys k ON k.id = s.key_id
      WHERE k.id IS NULL OR length(s.digest) <> 64 OR ltrim(s.digest, '0123456789abcdef') <> ''`,
    remedy: "give these keys a new secret with animal-store keys rotate",
  },
  {
    name: "counters are well-formed",
    broken: `SELECT key_id AS id FROM tallies WHERE ${TALLY_NUMBER_NAMES.map((name) => `${name} < 0`).join(" OR ")}`,
    remedy: "stop the service, and delete these rows of the table tallies: their quotas begin anew",
  },
  {
    name: "changes of keys are counted",
    broken: "SELECT count(*) AS id FROM key_revision HAVING count(*) <> 1",
    remedy: RESTORE_OR_CORRECT,
  },
];

/** How many of the rows in question a message names. */
const SHOWN = 3;

export type SelectIds = (
  sql: string,
) => Promise<readonly { readonly id: unknown }[]> | readonly { readonly id: unknown }[];

/** One check for each of them. */
export const invariantChecks = (select: SelectIds): Check[] =>
  INVARIANTS.map(({ name, broken, remedy }) => ({
    name,
    async run() {
      const [counted] = await select(`SELECT count(*) AS id FROM (${broken}) AS broken`);
      const count = Number(counted?.id);
      if (count === 0) return ok("yes");
      const some = await select(`SELECT id FROM (${broken}) AS broken ORDER BY id LIMIT ${SHOWN}`);
      return problem(
        `not so for ${count}: ${some.map(({ id }) => id).join(", ")}${count > SHOWN ? ", …" : ""}`,
        remedy,
      );
    },
  }));

/** All saved responses, in batches. */
type SavedRows =
  | AsyncIterable<readonly { readonly content: string }[]>
  | Iterable<readonly { readonly content: string }[]>;

export const savedResponseCheck = (read: () => SavedRows): Check => ({
  name: "saved responses can be read",
  async run() {
    let [count, unreadable] = [0, 0];
    for await (const rows of read())
      for (const { content } of rows) {
        count++;
        if (!isReadable(content)) unreadable++;
      }
    if (unreadable === 0) return ok(`${count}`);
    return problem(
      `${unreadable} of ${count} cannot`,
      "wait a day until they have expired, or delete them: a retry of theirs is then carried out again",
    );
  },
});

function isReadable(content: string): boolean {
  try {
    return ["value", "rendered"].includes(decodeSavedContent(content).kind);
  } catch {
    return false;
  }
}
