-- Text in which a search of the open loans looks for title and barcode. Not in the index: the longest titles exceed an
-- index row.

ALTER TABLE loans ADD COLUMN search_key TEXT COLLATE "C" NOT NULL DEFAULT '';
