-- A sign-in code knows its librarian, and ends with what it stood on (R-SEAM-8). An account knows whether its holder chose what
-- it is found by.

CREATE TABLE new_sign_in_codes (
    user_id INTEGER PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    code_hash TEXT NOT NULL,
    expires_at INTEGER NOT NULL,
    -- the code is worth what this librarian may do when it is used
    made_by INTEGER NOT NULL REFERENCES users (id)
) STRICT;
-- Of those handed out before, only the ones for a first sign-in go on: nothing tells what happened to the others' people since.
INSERT INTO new_sign_in_codes (user_id, code_hash, expires_at, made_by)
SELECT user_id, code_hash, expires_at, made_by
FROM (SELECT code.user_id, code.code_hash, code.expires_at,
             (SELECT made.actor_id FROM events AS made WHERE made.person_id = code.user_id
               AND made.action = 'sign-in-code-made' ORDER BY made.id DESC LIMIT 1) AS made_by
      FROM sign_in_codes AS code JOIN users ON users.id = code.user_id
      WHERE users.role = 'student' AND users.password_hash IS NULL) AS first
WHERE made_by IS NOT NULL;
DROP TABLE sign_in_codes;
ALTER TABLE new_sign_in_codes RENAME TO sign_in_codes;

CREATE TRIGGER sign_in_codes_end_with_what_they_stood_on
AFTER UPDATE OF role, capabilities, password_hash, email_key, roll_number, active, gone_at ON users
WHEN (OLD.role, OLD.capabilities, OLD.password_hash, OLD.email_key, OLD.roll_number, OLD.active, OLD.gone_at)
    IS NOT (NEW.role, NEW.capabilities, NEW.password_hash, NEW.email_key, NEW.roll_number, NEW.active, NEW.gone_at)
BEGIN DELETE FROM sign_in_codes WHERE user_id = NEW.id; END;
CREATE TRIGGER sign_in_codes_end_with_a_new_authenticator AFTER UPDATE OF confirmed_at, user_id ON authenticators
BEGIN DELETE FROM sign_in_codes WHERE user_id IN (OLD.user_id, NEW.user_id); END;
CREATE TRIGGER sign_in_codes_end_with_the_authenticator AFTER DELETE ON authenticators
BEGIN DELETE FROM sign_in_codes WHERE user_id = OLD.user_id; END;
CREATE TRIGGER sign_in_codes_end_with_a_new_passkey AFTER INSERT ON passkeys
BEGIN DELETE FROM sign_in_codes WHERE user_id = NEW.user_id; END;
CREATE TRIGGER sign_in_codes_end_with_another_passkey AFTER UPDATE OF user_id ON passkeys
BEGIN DELETE FROM sign_in_codes WHERE user_id IN (OLD.user_id, NEW.user_id); END;
CREATE TRIGGER sign_in_codes_end_with_the_passkey AFTER DELETE ON passkeys
BEGIN DELETE FROM sign_in_codes WHERE user_id = OLD.user_id; END;
CREATE TRIGGER sign_in_codes_end_with_new_recovery_codes AFTER INSERT ON recovery_codes
BEGIN DELETE FROM sign_in_codes WHERE user_id = NEW.user_id; END;

-- Whether the holder gave the address or the roll number, by registering, in the profile or with a code: the college's provider
-- opens such an account only once its password was given.
ALTER TABLE users ADD COLUMN claimed INTEGER NOT NULL DEFAULT 0 CHECK (claimed IN (0, 1));
UPDATE users SET claimed = 1
WHERE id IN (SELECT person_id FROM events
             WHERE actor_id = person_id
               AND (action = 'registered'
                    OR action = 'profile-updated' AND json_extract(change, '$.before.rollNumber') IS NOT json_extract(change, '$.after.rollNumber')
                    OR action = 'password-set' AND change LIKE '%"email":%'));
-- Links that were made without that password are made once more with it.
DELETE FROM oidc_links WHERE NOT password_asked AND user_id IN (SELECT id FROM users WHERE claimed);
