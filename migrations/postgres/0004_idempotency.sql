-- The answers of writes that came with an Idempotency-Key, so that a repeat gets the first one's; kept for 48 hours.
CREATE TABLE idempotency (
    -- 0 for a visitor
    user_id BIGINT NOT NULL,
    key TEXT COLLATE "C" NOT NULL,
    -- SHA-256 of method, path, query and body, without any password
    fingerprint TEXT COLLATE "C" NOT NULL,
    status BIGINT NOT NULL,
    etag TEXT COLLATE "C",
    location TEXT COLLATE "C",
    body TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (user_id, key)
);
CREATE INDEX idempotency_by_age ON idempotency (created_at);
