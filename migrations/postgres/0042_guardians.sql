-- Parents and guardians: their address and phone, and the reminders that are mailed to them. Reminders once a week.

ALTER TABLE users ADD COLUMN guardian_email TEXT COLLATE "C", ADD COLUMN guardian_phone TEXT COLLATE "C";
-- the notice is mailed to the guardian, and the person does not see it
ALTER TABLE notices ADD COLUMN to_guardian BOOLEAN NOT NULL DEFAULT FALSE;
-- address of the guardian who ended the mails by their link
ALTER TABLE mail_choices ADD COLUMN guardian_refused TEXT COLLATE "C";
-- reminders are mailed once a week
ALTER TABLE mail_choices ADD COLUMN weekly BOOLEAN NOT NULL DEFAULT FALSE;
CREATE INDEX weekly_digests ON mail_choices (person_id) WHERE weekly;
