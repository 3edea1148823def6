-- With the reader, so that the overdue loans are counted without reading them.

DROP INDEX open_loans;
CREATE INDEX open_loans ON loans (return_date, id, user_id) WHERE ended_at IS NULL;
