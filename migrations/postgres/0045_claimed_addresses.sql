-- People who entered their email address themselves. Until they confirm it with a mailed link, no notice is mailed there. A
-- row ends with the address.

CREATE TABLE claimed_addresses (
    user_id BIGINT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    -- Hash of the newest link's token.
    token_hash TEXT COLLATE "C" UNIQUE,
    expires_at BIGINT,
    confirmed_at BIGINT
);

CREATE FUNCTION end_claim_of_address() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM claimed_addresses WHERE user_id = NEW.id;
    RETURN NULL;
END $$;
CREATE TRIGGER claimed_addresses_end_with_the_address AFTER UPDATE OF email_key ON users
    FOR EACH ROW WHEN (OLD.email_key IS DISTINCT FROM NEW.email_key)
    EXECUTE FUNCTION end_claim_of_address();
