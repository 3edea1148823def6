-- Notices that their reader gets in the digest and not by a mail of their own.

-- kinds of notices, JSON
ALTER TABLE mail_choices ADD COLUMN in_digest TEXT NOT NULL DEFAULT '[]';
ALTER TABLE notices ADD COLUMN in_digest INTEGER NOT NULL DEFAULT 0 CHECK (in_digest IN (0, 1));
DROP INDEX notices_to_mail;
CREATE INDEX notices_to_mail ON notices (id)
    WHERE mailed_at IS NULL AND unmailed IS NULL AND withdrawn_at IS NULL AND step IS NULL AND NOT in_digest;
DROP INDEX reminders_to_mail;
CREATE INDEX notices_of_digests ON notices (person_id, id)
    WHERE mailed_at IS NULL AND unmailed IS NULL AND withdrawn_at IS NULL AND (step IS NOT NULL OR in_digest);
