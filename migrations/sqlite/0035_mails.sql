-- Outgoing mail, and password reset links.

CREATE TABLE mails (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    person_id INTEGER REFERENCES users (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    address TEXT NOT NULL,
    subject TEXT NOT NULL,
    -- empty once a mail with a secret is sent or given up
    text TEXT NOT NULL,
    html TEXT NOT NULL,
    -- whether the mail carries a secret: kept no longer than needed, and sent before others
    secret INTEGER NOT NULL CHECK (secret IN (0, 1)),
    -- never changes: a second copy after a lost answer has the same
    message_id TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    not_before INTEGER NOT NULL,
    -- when to give up
    expires_at INTEGER NOT NULL,
    tries INTEGER NOT NULL DEFAULT 0,
    state TEXT NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'sent', 'failed', 'stopped')),
    ended_at INTEGER,
    -- why the last attempt failed, a message as JSON
    reason TEXT,
    leased_by TEXT,
    leased_until INTEGER
) STRICT;
CREATE INDEX mails_queued ON mails (secret, id) WHERE state = 'queued';
CREATE INDEX mails_by_state ON mails (state, id);
CREATE INDEX mails_by_end ON mails (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX mails_of_person ON mails (person_id, id);

-- Why no mail goes out, and when sending resumes; empty while mail goes out.
CREATE TABLE mail_trouble (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    since INTEGER NOT NULL,
    until INTEGER NOT NULL,
    tries INTEGER NOT NULL,
    reason TEXT NOT NULL
) STRICT;

-- Addresses that asked for a reset link. A job looks them up later, so that the answer does not reveal who has an account.
CREATE TABLE link_requests (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    address_key TEXT NOT NULL,
    language TEXT NOT NULL,
    at INTEGER NOT NULL
) STRICT;

CREATE TABLE password_links (
    token_hash TEXT PRIMARY KEY,
    user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX password_links_of_user ON password_links (user_id);
CREATE INDEX password_links_by_expiry ON password_links (expires_at);

CREATE TRIGGER password_links_end_with_what_they_rest_on
AFTER UPDATE OF role, capabilities, password_hash, email_key, roll_number, active, gone_at ON users
WHEN (OLD.role, OLD.capabilities, OLD.password_hash, OLD.email_key, OLD.roll_number, OLD.active, OLD.gone_at)
    IS NOT (NEW.role, NEW.capabilities, NEW.password_hash, NEW.email_key, NEW.roll_number, NEW.active, NEW.gone_at)
BEGIN DELETE FROM password_links WHERE user_id = NEW.id; END;
CREATE TRIGGER password_links_end_with_a_new_authenticator AFTER UPDATE OF confirmed_at, user_id ON authenticators
BEGIN DELETE FROM password_links WHERE user_id IN (OLD.user_id, NEW.user_id); END;
CREATE TRIGGER password_links_end_with_the_authenticator AFTER DELETE ON authenticators
BEGIN DELETE FROM password_links WHERE user_id = OLD.user_id; END;
CREATE TRIGGER password_links_end_with_a_new_passkey AFTER INSERT ON passkeys
BEGIN DELETE FROM password_links WHERE user_id = NEW.user_id; END;
CREATE TRIGGER password_links_end_with_another_passkey AFTER UPDATE OF user_id ON passkeys
BEGIN DELETE FROM password_links WHERE user_id IN (OLD.user_id, NEW.user_id); END;
CREATE TRIGGER password_links_end_with_the_passkey AFTER DELETE ON passkeys
BEGIN DELETE FROM password_links WHERE user_id = OLD.user_id; END;
CREATE TRIGGER password_links_end_with_new_recovery_codes AFTER INSERT ON recovery_codes
BEGIN DELETE FROM password_links WHERE user_id = NEW.user_id; END;
