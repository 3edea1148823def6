import { Title } from '@mantine/core'
import { Link } from 'react-router'
import { useMay } from '../../api/account'
import type { Overview } from '../../api/types'
import { momentText } from '../../lib/format'
import { t } from '../../lib/messages'
import { paths } from '../../screens'
import classes from './Overview.module.css'

/** Returns the kinds of waiting work, each with the address of its list. */
function waiting(overview: Overview): { key: string; text: string; to: string; urgent?: true }[] {
  const { overdue, dueToday, toShelve, holdsEnding, missing, missingSince } = overview
  return [
    overdue > 0 && {
      key: 'overdue',
      text: t('overview.overdue', { count: overdue }),
      to: `${paths.fine()}?due=overdue`,
      urgent: true as const,
    },
    dueToday > 0 && {
      key: 'today',
      text: t('overview.dueToday', { count: dueToday }),
      to: `${paths.fine()}?due=today`,
    },
    toShelve > 0 && { key: 'shelve', text: t('overview.toShelve', { count: toShelve }), to: paths.toShelve() },
    holdsEnding > 0 && { key: 'holds', text: t('overview.holdsEnding', { count: holdsEnding }), to: paths.holds() },
    missing > 0 && {
      key: 'missing',
      text:
        missingSince === null
          ? t('overview.missing', { count: missing })
          : t('overview.missingSince', { count: missing, day: missingSince }),
      to: `${paths.toShelve()}?state=missing`,
    },
  ].filter((line) => line !== false)
}

/** Waiting work of today: each line links to its list, and disappears when the list is done. */
export function Morning({ overview }: { overview: Overview }) {
  const lines = waiting(overview)
  const { lateBackup, mailTrouble } = overview
  const mayPeople = useMay('people')
  const troubleText =
    mailTrouble &&
    t(mailTrouble.channel === 'text' ? 'overview.textTrouble' : 'overview.mailTrouble', {
      since: momentText(mailTrouble.since),
    })
  if (lines.length === 0 && lateBackup === null && mailTrouble === null) return null
  return (
    <section aria-labelledby="morning" className={classes.morning}>
      <Title order={2} size="h5" id="morning">
        {t('overview.title')}
      </Title>
      <ul className={classes.lines}>
        {lines.map(({ key, text, to, urgent }) => (
          <li key={key}>
            <Link to={to} data-urgent={urgent}>
              {text}
            </Link>
          </li>
        ))}
        {troubleText !== null && (
          <li>
            {mayPeople ? (
              <Link to={paths.mails()} data-urgent>
                {troubleText}
              </Link>
            ) : (
              troubleText
            )}
          </li>
        )}
        {lateBackup !== null && (
          <li>
            <LateBackup lastOn={lateBackup.lastOn} />
          </li>
        )}
      </ul>
    </section>
  )
}

/** Warning of a late backup; a link for librarians who may see the settings. */
function LateBackup({ lastOn }: { lastOn: string | null }) {
  const may = useMay('settings')
  const text = lastOn === null ? t('overview.noBackup') : t('overview.lateBackup', { day: lastOn })
  return may ? (
    <Link to={`${paths.settings()}?tab=backups`} data-urgent>
      {text}
    </Link>
  ) : (
    <span className={classes.backup}>{text}</span>
  )
}
