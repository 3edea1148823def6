-- Short rows for counts and orders of the open loans; a search reads the words.

DROP INDEX open_loans;
CREATE INDEX open_loans ON loans (return_date, id, user_id) WHERE ended_at IS NULL;
CREATE INDEX words_of_open_loans ON loans (return_date, id, user_id, search_key) WHERE ended_at IS NULL;
