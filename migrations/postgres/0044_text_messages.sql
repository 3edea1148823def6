-- Text messages beside mails: rows of the same outbox, each channel with its own outages.

ALTER TABLE mails ADD COLUMN channel TEXT COLLATE "C" NOT NULL DEFAULT 'mail' CHECK (channel IN ('mail', 'text'));
DROP INDEX mails_queued;
CREATE INDEX mails_queued ON mails (channel, secret DESC, (digest_day IS NOT NULL), id) WHERE state = 'queued';

-- Why nothing goes out by a channel, and when sending resumes; no row while it works.
CREATE TABLE channel_trouble (
    channel TEXT COLLATE "C" PRIMARY KEY CHECK (channel IN ('mail', 'text')),
    since BIGINT NOT NULL,
    until BIGINT NOT NULL,
    tries BIGINT NOT NULL,
    reason TEXT COLLATE "C" NOT NULL
);
INSERT INTO channel_trouble (channel, since, until, tries, reason)
SELECT 'mail', since, until, tries, reason FROM mail_trouble;
DROP TABLE mail_trouble;
