/** A page of rows after an id, by ascending id: `conditions` come first among the parameters. */
export const pageOf = (columns: string, table: string, ...conditions: string[]): string =>
  `SELECT ${columns} FROM ${table} WHERE ${[...conditions, "id > ?"].join(" AND ")} ORDER BY id LIMIT ?`;

/**
 * A page by one column out of an index on (column, status): a search for each status, merged by id.
 * So one index serves the column with a status and without, and neither ever scans.
 */
export function pageOfAnyStatus(columns: string, table: string, column: string, statuses: readonly string[]): string {
  const searches = statuses.map(
    (status) =>
      `SELECT * FROM (SELECT ${columns} FROM ${table} WHERE ${column} = ?1 AND status = '${status}' AND id > ?2 ORDER BY id LIMIT ?3)`,
  );
  return `SELECT * FROM (${searches.join(" UNION ALL ")}) ORDER BY id LIMIT ?3`;
}
