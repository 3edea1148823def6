-- Uploaded covers, under the hash of their bytes: the address of one is the photo_url of its titles.

CREATE TABLE covers (
    hash TEXT COLLATE "C" PRIMARY KEY,
    -- base64
    jpeg TEXT COLLATE "C" NOT NULL,
    added_at BIGINT NOT NULL
);
