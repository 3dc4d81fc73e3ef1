-- Where the console of an instance is: for everybody, and on its own machine. Null: it has none, or its version says nothing.
ALTER TABLE instances ADD COLUMN console_url TEXT;
ALTER TABLE instances ADD COLUMN console_direct_url TEXT;
