-- The code that a phone opens is good once: the phone exchanges it for a token of its own (R-SEAM-8).

DELETE FROM phones WHERE opened_at IS NULL;
-- SHA-256 of the code that the desk shows; null for a phone that was paired before codes were exchanged
ALTER TABLE phones ADD COLUMN code_hash TEXT COLLATE "C" UNIQUE;
-- null until a phone has opened the code
ALTER TABLE phones ALTER COLUMN token_hash DROP NOT NULL;
-- when another phone last tried the code that was used already
ALTER TABLE phones RENAME COLUMN replaced_at TO refused_at;
UPDATE phones SET refused_at = NULL;
ALTER TABLE phones DROP COLUMN page;
