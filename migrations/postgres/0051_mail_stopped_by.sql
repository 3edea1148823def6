-- Librarians that stop mails.

ALTER TABLE mails ADD COLUMN stopped_by BIGINT REFERENCES users (id) ON DELETE SET NULL;
CREATE INDEX mails_stopped_by ON mails (stopped_by) WHERE stopped_by IS NOT NULL;
