/** The name of animals whose status was updated directly, because nothing else shows their earlier status. */
export const UPDATED = "updated";

/** The prefix of the names of animals that were created as pending or sold. */
export const BORN = "born ";

/** Finds violations of invariants that hold after any calls and any kills. For SQLite and PostgreSQL. */
export const BROKEN_ALWAYS = `
  SELECT 'two open orders' AS what, animal_id AS id FROM orders WHERE status IN ('placed', 'approved')
    GROUP BY animal_id HAVING count(*) > 1
  UNION ALL
  SELECT 'open order, but ' || a.status, a.id FROM animals a JOIN orders o ON o.animal_id = a.id
    WHERE o.status IN ('placed', 'approved') AND a.status <> 'pending'
  UNION ALL
  SELECT 'order without an animal', o.id FROM orders o LEFT JOIN animals a ON a.id = o.animal_id WHERE a.id IS NULL`;

/** The same, and violations among animals whose status only orders have changed. */
export const BROKEN_SALES = `${BROKEN_ALWAYS}
  UNION ALL
  SELECT 'two deliveries', a.id FROM animals a JOIN orders o ON o.animal_id = a.id
    WHERE o.status = 'delivered' AND a.name <> '${UPDATED}' GROUP BY a.id HAVING count(*) > 1
  UNION ALL
  SELECT 'delivered, but ' || a.status, a.id FROM animals a JOIN orders o ON o.animal_id = a.id
    WHERE o.status = 'delivered' AND a.status <> 'sold' AND a.name <> '${UPDATED}'
  UNION ALL
  SELECT 'pending without an open order', id FROM animals a
    WHERE status = 'pending' AND name <> '${UPDATED}' AND name NOT LIKE '${BORN}%'
    AND NOT EXISTS (SELECT 1 FROM orders o WHERE o.animal_id = a.id AND o.status IN ('placed', 'approved'))
  UNION ALL
  SELECT 'sold without a delivery', id FROM animals a
    WHERE status = 'sold' AND name <> '${UPDATED}' AND name NOT LIKE '${BORN}%'
    AND NOT EXISTS (SELECT 1 FROM orders o WHERE o.animal_id = a.id AND o.status = 'delivered')
  UNION ALL
  SELECT '${BORN}' || a.status || ', but ordered', a.id FROM animals a JOIN orders o ON o.animal_id = a.id
    WHERE a.name LIKE '${BORN}%'`;
