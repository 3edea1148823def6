-- Number of prints of each receipt: all but the first are copies.
CREATE TABLE receipt_prints (
    line_id BIGINT PRIMARY KEY REFERENCES account_lines (id),
    count BIGINT NOT NULL CHECK (count > 0)
);
-- The original of an older receipt may have been printed.
INSERT INTO receipt_prints (line_id, count) SELECT id, 1 FROM account_lines WHERE receipt IS NOT NULL;
