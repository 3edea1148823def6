-- Uploaded covers, under the hash of their bytes: the address of one is the photo_url of its titles.

CREATE TABLE covers (
    hash TEXT PRIMARY KEY,
    -- base64
    jpeg TEXT NOT NULL,
    added_at INTEGER NOT NULL
) STRICT;
