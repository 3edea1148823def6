import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { newestNoticesQuery } from '../../api/notices'
import type { Notice } from '../../api/types'
import { t, translateMessage } from '../../lib/messages'
import { asksForSomething, linkOf } from './linkOf'
import classes from './Notices.module.css'

const SHOWN = 3

/** Unread notices that require an action of the student: the newest for each loan and hold. */
export default function UrgentNotices() {
  const { data = [] } = useQuery(newestNoticesQuery)
  const urgent = data.filter((notice) => notice.readAt === null && asksForSomething(notice))
  const newest = urgent.filter((notice, index) => urgent.findIndex((other) => isOfTheSame(other, notice)) === index)
  if (newest.length === 0) return null
  return (
    <section className={classes.urgent} aria-label={t('notice.urgent.label')}>
      <ul className={classes.list}>
        {newest.slice(0, SHOWN).map((notice) => (
          <li key={notice.id} className={classes.notice} data-unread>
            <div className={classes.text} dir="auto">
              <Link to={linkOf(notice, 'student') ?? ''}>{notice.text.map(translateMessage).join(' ')}</Link>
            </div>
          </li>
        ))}
      </ul>
    </section>
  )
}

const isOfTheSame = (one: Notice, other: Notice): boolean => one.loanId === other.loanId && one.holdId === other.holdId
