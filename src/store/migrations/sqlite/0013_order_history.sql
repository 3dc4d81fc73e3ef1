-- Who placed an order: the id of a key, which may have been deleted since. Null in an order of release 1.1.0.
ALTER TABLE orders ADD COLUMN placed_by TEXT;
-- Its moves, each a JSON object with the time and who made it, separated by commas: one is appended without being read.
-- In the row, because a table of them would make each move a write to two more pages.
ALTER TABLE orders ADD COLUMN moves TEXT;
