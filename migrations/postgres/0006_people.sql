-- People: whoever never signs in needs no email and no password; who may borrow until when; what librarians may do.

ALTER TABLE users
    ALTER COLUMN email DROP NOT NULL,
    ALTER COLUMN email_key DROP NOT NULL,
    -- null: nobody can sign in to the account
    ALTER COLUMN password_hash DROP NOT NULL,
    -- the name, folded, for the order of lists
    ADD COLUMN name_key TEXT COLLATE "C" NOT NULL DEFAULT '',
    -- search_key with email and department, for the search among people (R-PEOPLE-1)
    ADD COLUMN directory_key TEXT COLLATE "C" NOT NULL DEFAULT '',
    -- at the end of both: the roll numbers of the records that were merged into this one (R-PEOPLE-9)
    ADD COLUMN merged_key TEXT COLLATE "C" NOT NULL DEFAULT '',
    -- what a librarian may do, with commas between; null: everything
    ADD COLUMN capabilities TEXT COLLATE "C",
    ADD COLUMN active BOOLEAN NOT NULL DEFAULT TRUE,
    -- the last day on which the person may borrow
    ADD COLUMN valid_until TEXT COLLATE "C",
    -- the last day on which the person may not borrow
    ADD COLUMN barred_until TEXT COLLATE "C",
    ADD COLUMN barred_reason TEXT COLLATE "C",
    -- erased, or merged into another: in no list any more
    ADD COLUMN gone_at BIGINT,
    ADD COLUMN merged_into BIGINT REFERENCES users (id),
    ADD CHECK ((email IS NULL) = (email_key IS NULL)),
    ADD CHECK ((barred_until IS NULL) = (barred_reason IS NULL)),
    ADD CHECK (merged_into IS NULL OR gone_at IS NOT NULL);

-- The search reads this index alone.
CREATE INDEX people_by_name ON users (name_key, id, directory_key) WHERE gone_at IS NULL;
CREATE INDEX people_by_roll_number ON users (COALESCE(roll_number, ''), name_key, id) WHERE gone_at IS NULL;
CREATE INDEX people_by_batch ON users (COALESCE(batch, ''), name_key, id) WHERE gone_at IS NULL;
CREATE INDEX people_by_department ON users (COALESCE(department, ''), name_key, id) WHERE gone_at IS NULL;
CREATE INDEX inactive_people ON users (name_key, id) WHERE gone_at IS NULL AND NOT active;
CREATE INDEX librarians ON users (name_key, id) WHERE gone_at IS NULL AND role = 'admin';
CREATE INDEX merged_people ON users (merged_into) WHERE merged_into IS NOT NULL;

-- Codes for the first sign-in, or for a forgotten password: one a person, used once. Only its hash is kept.
CREATE TABLE sign_in_codes (
    user_id BIGINT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    code_hash TEXT COLLATE "C" NOT NULL,
    expires_at BIGINT NOT NULL
);

-- A person's sessions end with the account.
CREATE INDEX sessions_of_user ON sessions (user_id);

CREATE INDEX ended_loans_of_user ON loans (user_id, ended_at, id) WHERE ended_at IS NOT NULL;

-- Certificates that nothing was open; the number is on the paper, and anybody can ask whether it still holds.
CREATE TABLE no_dues (
    number TEXT COLLATE "C" PRIMARY KEY,
    user_id BIGINT NOT NULL REFERENCES users (id),
    issued_at BIGINT NOT NULL,
    issued_on TEXT COLLATE "C" NOT NULL
);
CREATE INDEX no_dues_of_user ON no_dues (user_id);

-- What went from one record to another when two were merged, JSON: exactly that goes back in an undo. Kept for the day.
CREATE TABLE merges (
    change_id BIGINT PRIMARY KEY,
    at BIGINT NOT NULL,
    moved TEXT COLLATE "C" NOT NULL
);
CREATE INDEX reviews_of_user ON reviews (user_id);

-- Of a loan whose reader is forgotten: what is still counted by (R-PEOPLE-10).
ALTER TABLE loans ADD COLUMN department TEXT COLLATE "C", ADD COLUMN batch TEXT COLLATE "C";

-- A change is never edited; one that tells who somebody was can be made to tell it no more (R-PEOPLE-6), and one of a loan
-- or a hold whose reader is forgotten loses the reader (R-PEOPLE-10).
DROP TRIGGER events_are_never_changed ON events;
CREATE TRIGGER events_are_never_deleted BEFORE DELETE OR TRUNCATE ON events
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_events();
CREATE TRIGGER events_are_never_changed BEFORE UPDATE ON events FOR EACH ROW
    WHEN (NOT (NEW.id = OLD.id AND NEW.at = OLD.at AND NEW.action = OLD.action
               AND NEW.book_id IS NOT DISTINCT FROM OLD.book_id AND NEW.copy_id IS NOT DISTINCT FROM OLD.copy_id
               AND ((NEW.actor_id IS NOT DISTINCT FROM OLD.actor_id AND NEW.person_id IS NOT DISTINCT FROM OLD.person_id
                     AND NEW.change = '{"v":1,"kind":"erased"}')
                    OR (NEW.person_id IS NULL AND NEW.change = OLD.change
                        AND (NEW.actor_id IS NOT DISTINCT FROM OLD.actor_id
                             OR (NEW.actor_id IS NULL AND OLD.actor_id IS NOT DISTINCT FROM OLD.person_id))))))
    EXECUTE FUNCTION refuse_change_of_events();
