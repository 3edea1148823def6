-- Closings of the till.

CREATE TABLE closings (
    -- numbers have no gaps, because they are given in the closing's own transaction
    number BIGINT PRIMARY KEY,
    at BIGINT NOT NULL,
    by_id BIGINT NOT NULL REFERENCES users (id),
    -- cash in the currency's smallest unit
    expected BIGINT NOT NULL,
    counted BIGINT NOT NULL CHECK (counted >= 0),
    note TEXT COLLATE "C" NOT NULL
);

-- Money taken, paid out and reversed since this version, with the closing that has it.
CREATE TABLE till_lines (
    line_id BIGINT PRIMARY KEY REFERENCES account_lines (id),
    -- null until the till is closed
    closing BIGINT
);
CREATE INDEX till_lines_of_closing ON till_lines (closing);

-- The last number; its row is the lock of the till.
CREATE TABLE last_closing (
    id BIGINT PRIMARY KEY CHECK (id = 1),
    number BIGINT NOT NULL
);
INSERT INTO last_closing (id, number) VALUES (1, 0);

CREATE FUNCTION refuse_change_of_closing() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION 'closings are never changed or deleted'; END $$;
CREATE TRIGGER closings_are_never_changed BEFORE UPDATE OR DELETE OR TRUNCATE ON closings
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_closing();
