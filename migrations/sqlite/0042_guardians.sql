-- Parents and guardians: their address and phone, and the reminders that are mailed to them. Reminders once a week.

ALTER TABLE users ADD COLUMN guardian_email TEXT;
ALTER TABLE users ADD COLUMN guardian_phone TEXT;
-- the notice is mailed to the guardian, and the person does not see it
ALTER TABLE notices ADD COLUMN to_guardian INTEGER NOT NULL DEFAULT 0 CHECK (to_guardian IN (0, 1));
-- address of the guardian who ended the mails by their link
ALTER TABLE mail_choices ADD COLUMN guardian_refused TEXT;
-- reminders are mailed once a week
ALTER TABLE mail_choices ADD COLUMN weekly INTEGER NOT NULL DEFAULT 0 CHECK (weekly IN (0, 1));
CREATE INDEX weekly_digests ON mail_choices (person_id) WHERE weekly;
