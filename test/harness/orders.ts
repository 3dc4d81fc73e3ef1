/** Finds what must never be in a database, whatever was called and whatever was killed. On SQLite and PostgreSQL. */
export const BROKEN_SALES = `
  SELECT 'two open orders' AS what, animal_id AS id FROM orders WHERE status IN ('placed', 'approved')
    GROUP BY animal_id HAVING count(*) > 1
  UNION ALL
  SELECT 'two deliveries', animal_id FROM orders WHERE status = 'delivered' GROUP BY animal_id HAVING count(*) > 1
  UNION ALL
  SELECT 'open order, but ' || a.status, a.id FROM animals a JOIN orders o ON o.animal_id = a.id
    WHERE o.status IN ('placed', 'approved') AND a.status <> 'pending'
  UNION ALL
  SELECT 'delivered, but ' || a.status, a.id FROM animals a JOIN orders o ON o.animal_id = a.id
    WHERE o.status = 'delivered' AND a.status <> 'sold'
  UNION ALL
  SELECT 'pending without an open order', id FROM animals a WHERE status = 'pending' AND name NOT LIKE 'born %'
    AND NOT EXISTS (SELECT 1 FROM orders o WHERE o.animal_id = a.id AND o.status IN ('placed', 'approved'))
  UNION ALL
  SELECT 'sold without a delivery', id FROM animals a WHERE status = 'sold' AND name NOT LIKE 'born %'
    AND NOT EXISTS (SELECT 1 FROM orders o WHERE o.animal_id = a.id AND o.status = 'delivered')
  UNION ALL
  SELECT 'born ' || a.status || ', but ordered', a.id FROM animals a JOIN orders o ON o.animal_id = a.id
    WHERE a.name LIKE 'born %'`;
