-- Number of each person's open loans, changed with the loans, so that no list of people counts loans.

-- A loan that a running server has not committed yet would never be counted.
LOCK TABLE loans IN SHARE ROW EXCLUSIVE MODE;
ALTER TABLE balances ADD COLUMN open_loans BIGINT NOT NULL DEFAULT 0;
INSERT INTO balances (person_id, balance, open_loans)
SELECT user_id, 0, COUNT(*) FROM loans WHERE ended_at IS NULL GROUP BY user_id ORDER BY user_id
ON CONFLICT (person_id) DO UPDATE SET open_loans = excluded.open_loans;

CREATE FUNCTION follow_open_loan() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' AND OLD.ended_at IS NULL THEN
        UPDATE balances SET open_loans = open_loans - 1 WHERE person_id = OLD.user_id;
    END IF;
    IF TG_OP <> 'DELETE' AND NEW.ended_at IS NULL THEN
        INSERT INTO balances (person_id, balance, open_loans) VALUES (NEW.user_id, 0, 1)
        ON CONFLICT (person_id) DO UPDATE SET open_loans = balances.open_loans + 1;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER open_loans_grow_by_a_new_loan AFTER INSERT ON loans
    FOR EACH ROW WHEN (NEW.ended_at IS NULL) EXECUTE FUNCTION follow_open_loan();
CREATE TRIGGER open_loans_follow_a_loan AFTER UPDATE OF ended_at, user_id ON loans
    FOR EACH ROW WHEN ((OLD.ended_at IS NULL, OLD.user_id) IS DISTINCT FROM (NEW.ended_at IS NULL, NEW.user_id))
    EXECUTE FUNCTION follow_open_loan();
CREATE TRIGGER open_loans_shrink_by_a_deleted_loan AFTER DELETE ON loans
    FOR EACH ROW WHEN (OLD.ended_at IS NULL) EXECUTE FUNCTION follow_open_loan();
