-- Whether the holder of a key may rotate its secret. Null: no, as for every key of release 1.1.0.
ALTER TABLE keys ADD COLUMN may_rotate bigint;
-- 1: the holder of the key made this secret. Null: the operator did.
ALTER TABLE secrets ADD COLUMN by_holder bigint;
