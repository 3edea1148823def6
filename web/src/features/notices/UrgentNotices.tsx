import { useMediaQuery } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { newestNoticesQuery } from '../../api/notices'
import type { Notice } from '../../api/types'
import { t, translateMessage } from '../../lib/messages'
import { paths } from '../../screens'
import { asksForSomething, linkOf } from './linkOf'
import classes from './Notices.module.css'

const SHOWN = 3
/** On a phone the first cover must stay in view below them. */
const SHOWN_ON_PHONE = 1

/** Unread notices that require an action of the student: the newest for each loan and hold. */
export default function UrgentNotices() {
  const { data = [] } = useQuery(newestNoticesQuery)
  const isWide = useMediaQuery('(min-width: 48em)', true, { getInitialValueInEffect: false })
  const urgent = data.filter((notice) => notice.readAt === null && asksForSomething(notice))
  const newest = urgent.filter((notice, index) => urgent.findIndex((other) => isOfTheSame(other, notice)) === index)
  if (newest.length === 0) return null
  const shown = newest.slice(0, isWide ? SHOWN : SHOWN_ON_PHONE)
  const more = newest.length - shown.length
  return (
    <section className={classes.urgent} aria-label={t('notice.urgent.label')}>
      <ul className={classes.list}>
        {shown.map((notice) => (
          <li key={notice.id} className={classes.notice} data-unread>
            <div className={classes.text} dir="auto">
              <Link to={linkOf(notice, 'student') ?? ''}>{notice.text.map(translateMessage).join(' ')}</Link>
            </div>
          </li>
        ))}
      </ul>
      {more > 0 && (
        <Link to={paths.notices()} className={classes.more}>
          {t('notice.urgent.more', { count: more })}
        </Link>
      )}
    </section>
  )
}

const isOfTheSame = (one: Notice, other: Notice): boolean => one.loanId === other.loanId && one.holdId === other.holdId
