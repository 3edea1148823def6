-- First steps of a library that no other row shows: something was printed; the librarian hid the list of steps.
CREATE TABLE first_steps (
    step TEXT PRIMARY KEY CHECK (step IN ('printed', 'hidden')),
    at INTEGER NOT NULL
) STRICT;
-- A library that lends already needs no list.
INSERT INTO first_steps (step, at) SELECT 'hidden', 0 WHERE EXISTS (SELECT 1 FROM loans);
