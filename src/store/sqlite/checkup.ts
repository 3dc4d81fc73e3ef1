import type { Database } from "bun:sqlite";
import { accessSync, constants, existsSync, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { Remedy } from "../../base/operator-error.ts";
import { formatNumber } from "../../base/text/text.ts";
import {
  type Check,
  type Checkup,
  check,
  neededCheck,
  ok,
  okUnless,
  problem,
  warning,
} from "../../domain/checkup/checkup.ts";
import { abandonedFiles } from "../files/partial-file.ts";
import { SQLITE_MIGRATIONS } from "../migrations/sqlite/index.ts";
import {
  animalNameCheck,
  categoryNameCheck,
  clockCheck,
  invariantChecks,
  orderHistoryCheck,
  type SelectIds,
  savedResponseCheck,
  schemaCheck,
} from "../schema/invariants.ts";
import { ORDERS } from "../sql/order-rows.ts";
import { ANIMALS, CATEGORIES, SAVED_RESPONSES } from "../sql/rows.ts";
import { absolutePath } from "../urls/database-url.ts";
import { differenceInSchema, failedCheck, repeatedIds } from "./file/damage.ts";
import { isOurs, openReadOnly } from "./file/database.ts";
import { objectionToFile } from "./file/file-access.ts";
import { realPathOf } from "./file/real-path.ts";
import { leftoverLinks } from "./file/replace.ts";
import { appliedMigrations } from "./schema/migration-target.ts";
import { INDEXED_NAMES, NAME_INDEX } from "./schema/name-index.ts";
import { REMOVE_UNKNOWN_PARTS, unknownParts } from "./schema/unknown-parts.ts";
import { hasTable } from "./sql/statements.ts";
import { tableRows } from "./transfer.ts";
import { objectionToWal } from "./wal/check.ts";

const RESTORE: Remedy = { kind: "restore_damaged" };
const READABLE_BY_OTHERS = 0o077;
const MIN_FREE_BYTES = 100_000_000;
/** Checkpoints keep a log at a fraction of it. */
const MAX_LOG_BYTES = 64_000_000;

/** The checks of an embedded database. They only read, also beside a service, and create no database. */
export function checkSqlite(givenPath: string, otherFiles: readonly string[]): Checkup {
  const path = realPathOf(givenPath);
  let opened: Database | undefined;
  const db = (): Database => {
    opened ??= openReadOnly(path);
    return opened;
  };
  return {
    checks: [
      databaseFile(path),
      belongingLog(path),
      permissions([path, `${path}-wal`, `${path}-shm`, ...otherFiles]),
      writable(path),
      diskSpace(path),
      sizeOfLog(path),
      leftovers(path),
      ...damageChecks(db),
      ...ruleChecks(db),
      nameIndexCheck(db),
      clockCheck(selectIds(db)),
    ],
    close: () => opened?.close(),
  };
}

const selectIds =
  (db: () => Database): SelectIds =>
  (sql) =>
    db().query(sql).all() as { id: unknown }[];

/** Check that all of a file can be read, and that nothing in it acts by itself. */
export const damageChecks = (db: () => Database): Check[] => [
  ownFile(db),
  neededCheck("schema has no unknown parts", () => okUnless(unknownParts(db()), "yes", REMOVE_UNKNOWN_PARTS)),
  check("integrity", () => okUnless(failedCheck(db(), 5), "pages, tables and indexes agree", RESTORE)),
];

/** Check that the rows keep the rules of a store. */
export const ruleChecks = (db: () => Database): Check[] => [
  references(db),
  schemaCheck(
    SQLITE_MIGRATIONS,
    () => appliedMigrations(db()),
    { kind: "migrate_or_start" },
    () => differenceInSchema(db()),
  ),
  check("ids are assigned once", () => okUnless(repeatedIds(db()), "yes", RESTORE)),
  ...invariantChecks(selectIds(db)),
  categoryNameCheck(() => tableRows(db(), CATEGORIES)),
  animalNameCheck(() => tableRows(db(), ANIMALS)),
  orderHistoryCheck(() => tableRows(db(), ORDERS)),
  savedResponseCheck(() => tableRows(db(), SAVED_RESPONSES)),
];

const databaseFile = (path: string): Check =>
  neededCheck("database file", () => {
    const objection = objectionToFile(path);
    if (objection) return problem(objection.detail, objection.remedy);
    return existsSync(path)
      ? ok(`${absolutePath(path)}, ${sizeText(statSync(path).size)}`)
      : problem(`there is no database at ${absolutePath(path)}`, { kind: "file_missing" });
  });

const belongingLog = (path: string): Check =>
  neededCheck("write-ahead log belongs to the file", () =>
    okUnless(objectionToWal(path), "yes", { kind: "replace_foreign_log", path }),
  );

const permissions = (files: readonly string[]): Check =>
  check("file permissions", () => {
    const open = files.filter(
      (file) => ((statSync(file, { throwIfNoEntry: false })?.mode ?? 0) & READABLE_BY_OTHERS) !== 0,
    );
    if (open.length === 0) return ok("only the owner can read them");
    return problem(`others can read ${open.join(", ")}`, `chmod 600 ${open.join(" ")}`);
  });

/** SQLite writes to the file, and makes others beside it. */
const writable = (path: string): Check =>
  check("database can be written", () => {
    const refused = [path, dirname(absolutePath(path))].find((each) => !isWritable(each));
    if (refused === undefined) return ok("by the user who runs this");
    return warning(
      `the user who runs this may not write to ${refused}`,
      "run this as the user of the service; if that is who you are, give them the file and its folder with chown",
    );
  });

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

const diskSpace = (path: string): Check =>
  check("free disk space", () => {
    const { bavail, bsize } = statfsSync(dirname(absolutePath(path)));
    const free = bavail * bsize;
    if (free < MIN_FREE_BYTES) return problem(sizeText(free), "free some space: on a full disk, writes fail");
    const { size } = statSync(path);
    if (free >= size) return ok(sizeText(free));
    return warning(
      `${sizeText(free)}, and the database has ${sizeText(size)}`,
      "free some space: a restore, or a backup into this folder, needs as much as the database",
    );
  });

const sizeOfLog = (path: string): Check =>
  check("size of the write-ahead log", () => {
    const { size } = Bun.file(`${path}-wal`);
    return size <= MAX_LOG_BYTES
      ? ok(sizeText(size))
      : problem(
          sizeText(size),
          "end programs that have the database open for long; the log of the service says if checkpoints fail",
        );
  });

const leftovers = (path: string): Check =>
  check("leftovers beside the file", () => {
    const journal = `${path}-journal`;
    if (existsSync(journal))
      return problem(
        `${journal} was left by another program, or by an interrupted start`,
        "start the service, which removes it",
      );
    const second = leftoverLinks(path);
    if (second.length > 0)
      return problem(
        `an interrupted restore left another name of the database: ${second.join(", ")}`,
        "delete it: it is no copy, and using it would ruin the database. The next restore does so too",
      );
    const abandoned = abandonedFiles(dirname(absolutePath(path)));
    return abandoned.length === 0
      ? ok("none")
      : problem(
          `interrupted backups: ${abandoned.join(", ")}`,
          "delete them; the next backup into this folder does so too",
        );
  });

const ownFile = (db: () => Database): Check =>
  neededCheck("database can be read", () => {
    db().query("SELECT count(*) FROM sqlite_schema").get();
    return isOurs(db())
      ? ok("yes")
      : problem("it is the database of another program", "set DATABASE_URL to another file");
  });

export const references = (db: () => Database): Check =>
  check("references", () => {
    const broken = db()
      .query('SELECT "table" AS name, count(*) AS count FROM pragma_foreign_key_check GROUP BY 1')
      .all();
    if (broken.length === 0) return ok("all rows that are referred to exist");
    const tables = (broken as { name: string; count: bigint }[]).map(
      ({ name, count }) => `${formatNumber(Number(count))} in ${name}`,
    );
    return problem(`rows that refer to none: ${tables.join(", ")}`, RESTORE);
  });

const nameIndexCheck = (db: () => Database): Check =>
  check("the index of names agrees with the animals", () => {
    if (!hasTable(db(), INDEXED_NAMES)) return ok("there is none, because nobody has searched inside names");
    return okUnless(
      objectionToNameIndex(db()),
      "yes",
      "start the service with NAME_INDEX=off, which removes the index, and then without: the next search makes it again",
    );
  });

function objectionToNameIndex(db: Database): string | undefined {
  const [result] = db.query(`PRAGMA integrity_check(${NAME_INDEX})`).all() as { integrity_check: string }[];
  if (result?.integrity_check !== "ok") return result?.integrity_check;
  const [wrong] = db.query(NOT_AS_INDEXED).all() as { id: bigint }[];
  return wrong && `they disagree about the animal ${wrong.id}`;
}

/** The first animal that is indexed and gone, or that has an id up to the last one indexed and is not. */
const NOT_AS_INDEXED = `SELECT i.id FROM ${INDEXED_NAMES} i LEFT JOIN animals a ON a.id = i.id WHERE a.id IS NULL
  UNION ALL SELECT a.id FROM animals a LEFT JOIN ${INDEXED_NAMES} i ON i.id = a.id
  WHERE i.id IS NULL AND a.id <= (SELECT max(id) FROM ${INDEXED_NAMES}) LIMIT 1`;

const SIZE_UNITS = [
  ["GB", 1e9],
  ["MB", 1e6],
  ["kB", 1e3],
] as const;

/** Chooses the unit that leaves a digit before the point: a new database has less than a megabyte. */
function sizeText(bytes: number): string {
  const [unit, unitBytes] = SIZE_UNITS.find(([, size]) => bytes >= size) ?? ["bytes", 1];
  return `${(bytes / unitBytes).toLocaleString("en-US", { maximumFractionDigits: 1 })} ${unit}`;
}
