-- Notices by mail: the mail that carried a notice or why none did, digests, and the choices of people.

ALTER TABLE notices ADD COLUMN mail_id INTEGER;
-- why no mail carries it
ALTER TABLE notices ADD COLUMN unmailed TEXT;
DROP INDEX notices_to_mail;
CREATE INDEX notices_to_mail ON notices (id)
    WHERE mailed_at IS NULL AND unmailed IS NULL AND withdrawn_at IS NULL AND step IS NULL;
CREATE INDEX reminders_to_mail ON notices (person_id, id)
    WHERE mailed_at IS NULL AND unmailed IS NULL AND withdrawn_at IS NULL AND step IS NOT NULL;
CREATE INDEX notices_of_mail ON notices (mail_id) WHERE mail_id IS NOT NULL;

-- the library's day of a digest: a person gets one a day
ALTER TABLE mails ADD COLUMN digest_day TEXT;
-- address that ends mails of this kind
ALTER TABLE mails ADD COLUMN unsubscribe TEXT;
CREATE INDEX digests_of_person ON mails (person_id, digest_day) WHERE digest_day IS NOT NULL;
-- digests wait behind all others
DROP INDEX mails_queued;
CREATE INDEX mails_queued ON mails (secret DESC, (digest_day IS NOT NULL), id) WHERE state = 'queued';

CREATE TABLE mail_choices (
    person_id INTEGER PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    -- NULL: the library's
    language TEXT,
    -- kinds of notices that the person gets on the screen only, JSON
    refused TEXT NOT NULL
) STRICT;
