-- The role of everybody who signs in to the console. Without one they are operators, as those were who could do everything.
ALTER TABLE console_links ADD COLUMN role text NOT NULL DEFAULT 'operator';
ALTER TABLE console_sessions ADD COLUMN role text NOT NULL DEFAULT 'operator';
-- Null: it was no change in the console, or one of before there were roles.
ALTER TABLE journal ADD COLUMN role text;
