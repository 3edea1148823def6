-- Number of each person's open loans, changed with the loans, so that no list of people counts loans.

ALTER TABLE balances ADD COLUMN open_loans INTEGER NOT NULL DEFAULT 0;
INSERT INTO balances (person_id, balance, open_loans)
SELECT user_id, 0, COUNT(*) FROM loans WHERE ended_at IS NULL GROUP BY user_id
ON CONFLICT (person_id) DO UPDATE SET open_loans = excluded.open_loans;

CREATE TRIGGER open_loans_grow_by_a_new_loan AFTER INSERT ON loans WHEN NEW.ended_at IS NULL
BEGIN
    INSERT INTO balances (person_id, balance, open_loans) VALUES (NEW.user_id, 0, 1)
    ON CONFLICT (person_id) DO UPDATE SET open_loans = open_loans + 1;
END;
CREATE TRIGGER open_loans_follow_a_loan AFTER UPDATE OF ended_at, user_id ON loans
WHEN (OLD.ended_at IS NULL, OLD.user_id) IS NOT (NEW.ended_at IS NULL, NEW.user_id)
BEGIN
    UPDATE balances SET open_loans = open_loans - 1 WHERE OLD.ended_at IS NULL AND person_id = OLD.user_id;
    INSERT INTO balances (person_id, balance, open_loans) SELECT NEW.user_id, 0, 1 WHERE NEW.ended_at IS NULL
    ON CONFLICT (person_id) DO UPDATE SET open_loans = open_loans + 1;
END;
CREATE TRIGGER open_loans_shrink_by_a_deleted_loan AFTER DELETE ON loans WHEN OLD.ended_at IS NULL
BEGIN UPDATE balances SET open_loans = open_loans - 1 WHERE person_id = OLD.user_id; END;
