-- People who entered their email address themselves. Until they confirm it with a mailed link, no notice is mailed there. A
-- row ends with the address.

CREATE TABLE claimed_addresses (
    user_id INTEGER PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    -- Hash of the newest link's token.
    token_hash TEXT UNIQUE,
    expires_at INTEGER,
    confirmed_at INTEGER
) STRICT;

CREATE TRIGGER claimed_addresses_end_with_the_address AFTER UPDATE OF email_key ON users
WHEN OLD.email_key IS NOT NEW.email_key
BEGIN DELETE FROM claimed_addresses WHERE user_id = NEW.id; END;
