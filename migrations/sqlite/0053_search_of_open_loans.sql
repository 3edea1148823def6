-- Text in which a search of the open loans looks for title and barcode. The index has all that it reads.

ALTER TABLE loans ADD COLUMN search_key TEXT NOT NULL DEFAULT '';
DROP INDEX open_loans;
CREATE INDEX open_loans ON loans (return_date, id, user_id, search_key) WHERE ended_at IS NULL;
