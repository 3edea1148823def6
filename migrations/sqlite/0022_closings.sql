-- Closings of the till.

CREATE TABLE closings (
    -- numbers have no gaps, because they are given in the closing's own transaction
    number INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    by_id INTEGER NOT NULL REFERENCES users (id),
    -- cash in the currency's smallest unit
    expected INTEGER NOT NULL,
    counted INTEGER NOT NULL CHECK (counted >= 0),
    note TEXT NOT NULL
) STRICT;

-- Money taken, paid out and reversed since this version, with the closing that has it.
CREATE TABLE till_lines (
    line_id INTEGER PRIMARY KEY REFERENCES account_lines (id),
    -- null until the till is closed
    closing INTEGER
) STRICT;
CREATE INDEX till_lines_of_closing ON till_lines (closing);

-- The last number; its row is the lock of the till.
CREATE TABLE last_closing (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    number INTEGER NOT NULL
) STRICT;
INSERT INTO last_closing (id, number) VALUES (1, 0);

CREATE TRIGGER closings_are_never_changed BEFORE UPDATE ON closings
BEGIN SELECT RAISE(ABORT, 'closings are never changed'); END;
CREATE TRIGGER closings_are_never_deleted BEFORE DELETE ON closings
BEGIN SELECT RAISE(ABORT, 'closings are never deleted'); END;
