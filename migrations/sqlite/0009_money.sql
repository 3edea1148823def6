-- Money: each person's account as lines that are only ever added, the receipts, and what was undone.

-- lent by mistake and undone: it never counts as a loan
ALTER TABLE loans ADD COLUMN voided INTEGER NOT NULL DEFAULT 0 CHECK (voided IN (0, 1));
-- who had a copy last
CREATE INDEX ended_loans_of_copy ON loans (copy_id, id) WHERE ended_at IS NOT NULL;

-- What each person owes by the account: the sum of the lines, changed with them. The row is the account's lock.
CREATE TABLE balances (
    person_id INTEGER PRIMARY KEY REFERENCES users (id),
    -- in the currency's smallest unit; below zero the library owes
    balance INTEGER NOT NULL
) STRICT;
CREATE INDEX balances_open ON balances (person_id) WHERE balance <> 0;

CREATE TABLE account_lines (
    -- rows are never deleted, so no number comes twice
    id INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    person_id INTEGER NOT NULL REFERENCES users (id),
    kind TEXT NOT NULL CHECK (kind IN ('charge', 'payment', 'waiver', 'reversal', 'refund')),
    -- what a charge is for; how a payment or a refund was made
    of TEXT CHECK (of IN ('overdue', 'lost', 'damage', 'other', 'cash', 'upi', 'card')),
    -- in the currency's smallest unit: what the balance grows by
    amount INTEGER NOT NULL CHECK (amount <> 0),
    -- in words: the title of the book, why it is waived
    reason TEXT NOT NULL,
    -- charges: how the amount came about, messages as JSON
    reasons TEXT,
    -- the payment's own, such as the number of a transfer
    reference TEXT NOT NULL DEFAULT '',
    loan_id INTEGER REFERENCES loans (id),
    -- payments: the number of the receipt
    receipt TEXT UNIQUE,
    -- reversals: the line that is taken back; again, where the first reversal was taken back itself
    reverses INTEGER REFERENCES account_lines (id),
    by_id INTEGER NOT NULL REFERENCES users (id),
    CHECK ((kind = 'reversal') = (reverses IS NOT NULL) AND (kind = 'payment') = (receipt IS NOT NULL)),
    CHECK (kind = 'reversal' OR (kind IN ('charge', 'refund')) = (amount > 0))
) STRICT;
CREATE INDEX lines_of_person ON account_lines (person_id, id);
CREATE INDEX lines_by_time ON account_lines (at, id);
CREATE INDEX lines_reversing ON account_lines (reverses) WHERE reverses IS NOT NULL;
CREATE INDEX lines_of_loan ON account_lines (loan_id) WHERE loan_id IS NOT NULL;

-- How much of a charge a payment, a waiver or a reversal settles; below zero where that was taken back.
CREATE TABLE settlements (
    id INTEGER PRIMARY KEY,
    charge_id INTEGER NOT NULL REFERENCES account_lines (id),
    line_id INTEGER NOT NULL REFERENCES account_lines (id),
    amount INTEGER NOT NULL CHECK (amount <> 0)
) STRICT;
CREATE INDEX settlements_of_charge ON settlements (charge_id);
CREATE INDEX settlements_by_line ON settlements (line_id);

-- The last receipt of each financial year: numbers have no gaps, because they are given in the payment's own transaction.
CREATE TABLE receipts (
    year TEXT PRIMARY KEY,
    last INTEGER NOT NULL CHECK (last > 0)
) STRICT;

-- Which changes were undone, and by which.
CREATE TABLE undone (
    change_id INTEGER PRIMARY KEY,
    by_change_id INTEGER NOT NULL
) STRICT;

-- But for whose it is, when two records of one person are merged (R-PEOPLE-9).
CREATE TRIGGER account_lines_are_never_changed BEFORE UPDATE ON account_lines
WHEN NOT (NEW.id = OLD.id AND NEW.at = OLD.at AND NEW.kind = OLD.kind AND NEW.of IS OLD.of AND NEW.amount = OLD.amount
          AND NEW.reason = OLD.reason AND NEW.reasons IS OLD.reasons AND NEW.reference = OLD.reference AND NEW.loan_id IS OLD.loan_id
          AND NEW.receipt IS OLD.receipt AND NEW.reverses IS OLD.reverses AND NEW.by_id = OLD.by_id)
BEGIN SELECT RAISE(ABORT, 'account lines are never changed'); END;
CREATE TRIGGER account_lines_are_never_deleted BEFORE DELETE ON account_lines
BEGIN SELECT RAISE(ABORT, 'account lines are never deleted'); END;
CREATE TRIGGER settlements_are_never_changed BEFORE UPDATE ON settlements
BEGIN SELECT RAISE(ABORT, 'settlements are never changed'); END;
CREATE TRIGGER settlements_are_never_deleted BEFORE DELETE ON settlements
BEGIN SELECT RAISE(ABORT, 'settlements are never deleted'); END;
