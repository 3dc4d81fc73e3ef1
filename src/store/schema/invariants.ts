import type { Remedy } from "../../base/operator-error.ts";
import { formatNumber, NAME_MAX_CODE_POINTS } from "../../base/text/text.ts";
import type { Awaitable } from "../../base/time/awaitable.ts";
import { systemClock } from "../../base/time/clock.ts";
import { type Check, check, neededCheck, ok, okUnless, problem } from "../../domain/checkup/checkup.ts";
import { checkAgainstRecords } from "../../domain/checkup/clock-check.ts";
import { PLAN_NAMES } from "../../domain/keys/plan.ts";
import { SCOPES } from "../../domain/keys/scope.ts";
import { TALLY_NUMBER_NAMES } from "../../domain/limits/tally.ts";
import { ANIMAL_STATUSES } from "../../domain/stock/animal.ts";
import { fold } from "../../domain/stock/fold.ts";
import { OPEN_ORDER_STATUSES, ORDER_STATUSES, PLACING } from "../../domain/stock/order.ts";
import { objectionToMoves } from "../../domain/stock/order-history.ts";
import { movesOf } from "../sql/order-rows.ts";
import { encodeScopes } from "../sql/rows.ts";
import { decodeSavedContent } from "../sql/saved-content.ts";
import type { Row } from "../sql/table.ts";
import { type AppliedMigration, type Migration, newestOf, schemaState } from "./migrate.ts";

// Invariants of every store at every moment, in SQL that both databases understand. A statement selects the ids of the
// rows that break the rule.

const textList = (values: readonly string[]): string => `(${values.map((value) => `'${value}'`).join(", ")})`;

const OPEN = textList(OPEN_ORDER_STATUSES);
/** Every set of scopes except all of them, which is stored as null, and the empty one. */
const SOME_SCOPES = Array.from({ length: 2 ** SCOPES.length }, (_, choice) =>
  encodeScopes(SCOPES.filter((_, i) => choice & (1 << i))),
).filter((text) => text !== null && text !== "") as string[];

/** The statement of each invariant, by its name. */
const INVARIANTS = {
  "an animal in an open order is pending": `SELECT o.id FROM orders o JOIN animals a ON a.id = o.animal_id
    WHERE o.status IN ${OPEN} AND a.status <> '${PLACING.to}'`,
  "an animal is in one open order at most": `SELECT animal_id AS id FROM orders WHERE status IN ${OPEN}
    GROUP BY animal_id HAVING count(*) > 1`,
  "an order belongs to an animal": `SELECT o.id FROM orders o LEFT JOIN animals a ON a.id = o.animal_id
    WHERE a.id IS NULL`,
  "orders are well-formed": `SELECT id FROM orders
    WHERE id < 1 OR placed_at <= 0 OR status NOT IN ${textList(ORDER_STATUSES)}`,
  "orders are updated after they are placed": "SELECT id FROM orders WHERE updated_at < placed_at",
  "animals are well-formed": `SELECT id FROM animals
    WHERE id < 1 OR length(name) NOT BETWEEN 1 AND ${NAME_MAX_CODE_POINTS} OR status NOT IN ${textList(ANIMAL_STATUSES)}`,
  "categories are well-formed": `SELECT id FROM categories
    WHERE length(name) NOT BETWEEN 1 AND ${NAME_MAX_CODE_POINTS} OR folded_name = ''`,
  "a name is that of one category": "SELECT min(id) AS id FROM categories GROUP BY folded_name HAVING count(*) > 1",
  "keys are well-formed": `SELECT id FROM keys
    WHERE plan NOT IN ${textList(PLAN_NAMES)} OR per_minute < 1 OR per_day < per_minute OR created_at <= 0`,
  "scopes of keys are well-formed": `SELECT id FROM keys WHERE scopes NOT IN ${textList(SOME_SCOPES)}`,
  "every key has a secret": "SELECT k.id FROM keys k LEFT JOIN secrets s ON s.key_id = k.id WHERE s.digest IS NULL",
  "secrets are well-formed": `SELECT s.key_id AS id FROM secrets s LEFT JOIN keys k ON k.id = s.key_id
    WHERE k.id IS NULL OR length(s.digest) <> 64 OR ltrim(s.digest, '0123456789abcdef') <> ''`,
  "counters are well-formed": `SELECT key_id AS id FROM tallies
    WHERE ${TALLY_NUMBER_NAMES.map((name) => `${name} < 0`).join(" OR ")}`,
  "imports are well-formed": `SELECT id FROM imports
    WHERE added < 0 OR added > animals OR animals > records OR records_done > records OR removed + kept > added
      OR (finished_at IS NOT NULL AND (added <> animals OR records_done <> records))`,
  "what was imported belongs to an import": `SELECT r.import_id AS id
    FROM import_ranges r LEFT JOIN imports i ON i.id = r.import_id
    WHERE i.id IS NULL OR i.undone_at IS NOT NULL OR r.first_id < 1 OR r.last_id < r.first_id`,
  "changes of keys are counted": "SELECT count(*) AS id FROM key_revision HAVING count(*) <> 1",
};

const RESTORE_OR_CORRECT = "restore a backup, or correct these rows by hand with the service stopped";

/** The remedies of invariants that have one of their own. */
const REMEDIES: Partial<Record<string, string | Remedy>> = {
  "orders are updated after they are placed":
    "a clock was set back; it does no harm, and UPDATE orders SET updated_at = placed_at WHERE updated_at < placed_at mends it",
  "categories are well-formed": "give these categories other names with PUT /categories/{categoryId}",
  "keys are well-formed": "revoke these keys, and issue new ones",
  "scopes of keys are well-formed": { kind: "set_scopes" },
  "every key has a secret": { kind: "rotate_keys" },
  "secrets are well-formed": { kind: "rotate_keys" },
  "counters are well-formed": "stop the service, and delete these rows of the table tallies: their quotas begin anew",
} satisfies Partial<Record<keyof typeof INVARIANTS, string | Remedy>>;

/** Checks that a schema is the newest one, or a newer version's. `difference` says what else is wrong with it. */
export const schemaCheck = (
  migrations: readonly Migration[],
  applied: () => Awaitable<readonly AppliedMigration[]>,
  remedy: Remedy,
  difference: () => string | undefined = () => undefined,
): Check =>
  neededCheck("schema", async () => {
    const state = schemaState(await applied(), migrations);
    const newest = newestOf(migrations);
    if (state.kind === "newer") return ok(`${state.number}, of a newer version, and this one can run on it`);
    if (state.kind === "empty") return problem("the database is empty", remedy);
    if (state.kind === "older") return problem(`the database is older than schema ${newest}`, remedy);
    return okUnless(difference(), `${newest}, as it should be`, { kind: "restore_damaged" });
  });

/** The newest timestamp in the store. */
const NEWEST = `SELECT max(at) AS id FROM (SELECT max(updated_at) AS at FROM orders
  UNION ALL SELECT max(created_at) FROM keys UNION ALL SELECT max(last_used_at) FROM keys
  UNION ALL SELECT max(saved_at) FROM saved_responses) AS stamped`;

export const clockCheck = (select: SelectIds): Check =>
  check("clock", async () => {
    const [newest] = await select(NEWEST);
    const isKnown = newest?.id !== null && newest?.id !== undefined;
    return checkAgainstRecords(systemClock.nowMs(), isKnown ? Number(newest.id) : undefined);
  });

/** The number of rows that a message names. */
const SHOWN = 3;

export type SelectIds = (sql: string) => Awaitable<readonly { readonly id: unknown }[]>;

/** One check for each invariant. */
export const invariantChecks = (select: SelectIds): Check[] =>
  Object.entries(INVARIANTS).map(([name, broken]) =>
    check(name, async () => {
      const [counted] = await select(`SELECT count(*) AS id FROM (${broken}) AS broken`);
      const count = Number(counted?.id);
      if (count === 0) return ok("yes");
      const some = await select(`SELECT id FROM (${broken}) AS broken ORDER BY id LIMIT ${SHOWN}`);
      const ids = some.map(({ id }) => id);
      return problem(notSoFor(count, ids), REMEDIES[name] ?? RESTORE_OR_CORRECT);
    }),
  );

const notSoFor = (count: number, some: readonly unknown[]): string =>
  `not so for ${formatNumber(count)}: ${some.join(", ")}${count > some.length ? ", …" : ""}`;

/** All rows of a table by ascending key, in batches. */
type ReadRows = () => AsyncIterable<readonly Row[]>;

/** Neither database can fold a name as the program does. */
const foldedNames = (of: string, read: ReadRows, remedy: (wrong: readonly bigint[]) => string): Check =>
  check(`${of} are found by their names`, async () => {
    let [count, unfolded] = [0, 0];
    const wrong: bigint[] = [];
    for await (const rows of read())
      for (const { id, name, folded_name } of rows) {
        count++;
        // An animal that release 1.1.0 has added has none, until a service folds its name.
        if (folded_name === null) unfolded++;
        else if (fold(name as string) !== folded_name) wrong.push(id as bigint);
      }
    if (wrong.length > 0) return problem(notSoFor(wrong.length, wrong.slice(0, SHOWN)), remedy(wrong));
    const later = `, of which ${formatNumber(unfolded)} will be, when a service has run for a while`;
    return ok(`${formatNumber(count)}${unfolded === 0 ? "" : later}`);
  });

export const categoryNameCheck = (read: ReadRows): Check =>
  foldedNames("categories", read, () => "send the names of these categories again with PUT /categories/{categoryId}");

export const animalNameCheck = (read: ReadRows): Check =>
  foldedNames("animals", read, (wrong) => {
    const these = wrong.length > SHOWN ? `BETWEEN ${wrong[0]} AND ${wrong.at(-1)}` : `IN (${wrong.join(", ")})`;
    return `UPDATE animals SET folded_name = NULL WHERE id ${these}, with the service stopped: when it runs again, it fills them in`;
  });

export const orderHistoryCheck = (read: ReadRows): Check =>
  check("histories of orders can be read", async () => {
    let count = 0;
    const wrong: bigint[] = [];
    for await (const rows of read())
      for (const row of rows) {
        if (row.moves === null && row.placed_by === null) continue;
        count++;
        if (!isReadable(() => objectionToMoves(movesOf(row)) === undefined)) wrong.push(row.id as bigint);
      }
    if (wrong.length === 0) return ok(formatNumber(count));
    return problem(
      notSoFor(wrong.length, wrong.slice(0, SHOWN)),
      `UPDATE orders SET moves = NULL WHERE id IN (${wrong.slice(0, IDS_IN_REMEDY).join(", ")}): their moves are then shown as not recorded`,
    );
  });

/** A remedy with more is repeated. */
const IDS_IN_REMEDY = 100;

export const savedResponseCheck = (read: ReadRows): Check =>
  check("saved responses can be read", async () => {
    let [count, unreadable] = [0, 0];
    for await (const rows of read())
      for (const { content } of rows) {
        count++;
        if (!isReadable(() => ["value", "rendered"].includes(decodeSavedContent(content as string).kind))) unreadable++;
      }
    if (unreadable === 0) return ok(formatNumber(count));
    return problem(
      `${formatNumber(unreadable)} of ${formatNumber(count)} cannot`,
      "wait a day until they have expired, or delete them: a retry of theirs is then carried out again",
    );
  });

/** Whatever throws cannot be read. */
function isReadable(read: () => boolean): boolean {
  try {
    return read();
  } catch {
    return false;
  }
}
