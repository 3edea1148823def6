-- A code that a second phone opens: the desk sees that it took the place of the first.

-- what the phone's page calls itself; empty until one has
ALTER TABLE phones ADD COLUMN page TEXT NOT NULL DEFAULT '';
-- when another page last took over
ALTER TABLE phones ADD COLUMN replaced_at INTEGER;
