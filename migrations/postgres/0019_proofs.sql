-- A sign-in code knows its librarian, and ends with what it stood on (R-SEAM-8). An account knows whether its holder chose what
-- it is found by.

-- Of those handed out before, only the ones for a first sign-in go on: nothing tells what happened to the others' people since.
DELETE FROM sign_in_codes
WHERE NOT EXISTS (SELECT 1 FROM users WHERE users.id = sign_in_codes.user_id AND users.role = 'student'
                    AND users.password_hash IS NULL);
ALTER TABLE sign_in_codes ADD COLUMN made_by BIGINT REFERENCES users (id);
UPDATE sign_in_codes SET made_by =
    (SELECT made.actor_id FROM events AS made WHERE made.person_id = sign_in_codes.user_id
      AND made.action = 'sign-in-code-made' ORDER BY made.id DESC LIMIT 1);
DELETE FROM sign_in_codes WHERE made_by IS NULL;
-- The code is worth what this librarian may do when it is used.
ALTER TABLE sign_in_codes ALTER COLUMN made_by SET NOT NULL;

CREATE FUNCTION end_sign_in_code_of_user() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM sign_in_codes WHERE user_id = NEW.id;
    RETURN NULL;
END $$;
CREATE TRIGGER sign_in_codes_end_with_what_they_stood_on
    AFTER UPDATE OF role, capabilities, password_hash, email_key, roll_number, active, gone_at ON users FOR EACH ROW
    WHEN ((OLD.role, OLD.capabilities, OLD.password_hash, OLD.email_key, OLD.roll_number, OLD.active, OLD.gone_at)
        IS DISTINCT FROM
        (NEW.role, NEW.capabilities, NEW.password_hash, NEW.email_key, NEW.roll_number, NEW.active, NEW.gone_at))
    EXECUTE FUNCTION end_sign_in_code_of_user();

CREATE FUNCTION end_sign_in_code_of_second_factor() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        DELETE FROM sign_in_codes WHERE user_id = OLD.user_id;
    END IF;
    IF TG_OP <> 'DELETE' THEN
        DELETE FROM sign_in_codes WHERE user_id = NEW.user_id;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER sign_in_codes_end_with_a_new_authenticator AFTER UPDATE OF confirmed_at, user_id ON authenticators
    FOR EACH ROW EXECUTE FUNCTION end_sign_in_code_of_second_factor();
CREATE TRIGGER sign_in_codes_end_with_the_authenticator AFTER DELETE ON authenticators
    FOR EACH ROW EXECUTE FUNCTION end_sign_in_code_of_second_factor();
CREATE TRIGGER sign_in_codes_end_with_the_passkey AFTER INSERT OR DELETE OR UPDATE OF user_id ON passkeys
    FOR EACH ROW EXECUTE FUNCTION end_sign_in_code_of_second_factor();
CREATE TRIGGER sign_in_codes_end_with_new_recovery_codes AFTER INSERT ON recovery_codes
    FOR EACH ROW EXECUTE FUNCTION end_sign_in_code_of_second_factor();

-- Whether the holder gave the address or the roll number, by registering, in the profile or with a code: the college's provider
-- opens such an account only once its password was given.
ALTER TABLE users ADD COLUMN claimed BOOLEAN NOT NULL DEFAULT FALSE;
UPDATE users SET claimed = TRUE
WHERE id IN (SELECT person_id FROM events
             WHERE actor_id = person_id
               AND (action = 'registered'
                    OR action = 'profile-updated' AND change::json #>> '{before,rollNumber}' IS DISTINCT FROM change::json #>> '{after,rollNumber}'
                    OR action = 'password-set' AND change LIKE '%"email":%'));
-- Links that were made without that password are made once more with it.
DELETE FROM oidc_links WHERE NOT password_asked AND user_id IN (SELECT id FROM users WHERE claimed);
