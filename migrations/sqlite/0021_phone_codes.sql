-- The code that a phone opens is good once: the phone exchanges it for a token of its own (R-SEAM-8).

CREATE TABLE new_phones (
    id INTEGER PRIMARY KEY,
    desk_id INTEGER NOT NULL REFERENCES desks (id) ON DELETE CASCADE,
    -- SHA-256 of the code that the desk shows; null for a phone that was paired before codes were exchanged
    code_hash TEXT UNIQUE,
    -- SHA-256 of the phone's token; null until a phone has opened the code
    token_hash TEXT UNIQUE,
    created_at INTEGER NOT NULL,
    -- null until a phone has opened the code
    opened_at INTEGER,
    expires_at INTEGER NOT NULL,
    -- when another phone last tried the code that was used already
    refused_at INTEGER,
    -- the number of its newest answer
    answers INTEGER NOT NULL DEFAULT 0,
    streams INTEGER NOT NULL DEFAULT 0
) STRICT;
INSERT INTO new_phones (id, desk_id, token_hash, created_at, opened_at, expires_at, answers, streams)
SELECT id, desk_id, token_hash, created_at, opened_at, expires_at, answers, streams
FROM phones WHERE opened_at IS NOT NULL;
DELETE FROM phone_scans WHERE phone_id NOT IN (SELECT id FROM new_phones);
DROP TABLE phones;
ALTER TABLE new_phones RENAME TO phones;
CREATE INDEX phones_by_desk ON phones (desk_id);
CREATE INDEX phones_by_expiry ON phones (expires_at);
