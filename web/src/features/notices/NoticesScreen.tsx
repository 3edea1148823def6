import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { Link } from 'react-router'
import { sessionQuery } from '../../api/account'
import { useAction } from '../../api/action'
import { myNoticesQuery, readNotices } from '../../api/notices'
import type { Notice, Role } from '../../api/types'
import { momentText } from '../../lib/format'
import { t, translateMessage } from '../../lib/messages'
import { EmptyState } from '../../ui/EmptyState'
import { ListState } from '../../ui/ListState'
import { PageHeader } from '../../ui/PageHeader'
import { ShowMore } from '../../ui/ShowMore'
import { linkOf } from './linkOf'
import classes from './Notices.module.css'

/** The user's own notices. Opening the screen marks them as read, but new ones look unread until the next visit. */
export default function NoticesScreen() {
  const query = useInfiniteQuery({ ...myNoticesQuery, refetchOnMount: 'always', refetchOnWindowFocus: false })
  const role = useQuery(sessionQuery).data?.user?.role ?? 'student'
  useReading(query.isFetchedAfterMount ? query.data?.pages[0] : undefined)
  return (
    <div className={classes.screen}>
      <PageHeader title={t('app.nav.notices')} />
      <ListState
        query={{ ...query, data: query.isFetchedAfterMount || query.isError ? query.data : undefined }}
        lines={5}
      >
        {({ pages }) => {
          const notices = pages.flatMap((page) => page.notices)
          if (notices.length === 0) return <EmptyState message={t('notice.screen.none')} />
          return (
            <>
              <ol className={classes.list}>
                {notices.map((notice) => (
                  <li key={notice.id} className={classes.notice} data-unread={notice.readAt === null || undefined}>
                    <One notice={notice} role={role} />
                  </li>
                ))}
              </ol>
              <ShowMore query={query} label={t('notice.screen.more')} />
            </>
          )
        }}
      </ListState>
    </div>
  )
}

/** Marks the notices as read once they are shown. */
function useReading(page: { notices: readonly Notice[]; unread: number } | undefined): void {
  const { run } = useAction(readNotices, { failed: () => null })
  const newest = page !== undefined && page.unread > 0 ? page.notices[0]?.id : undefined
  useEffect(() => {
    if (newest !== undefined) void run(newest)
    // Runs for a new list, not for a new `run` function.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [newest])
}

function One({ notice, role }: { notice: Notice; role: Role }) {
  const text = notice.text.map(translateMessage).join(' ')
  const link = linkOf(notice, role)
  return (
    <>
      <div className={classes.text} dir="auto">
        {notice.readAt === null && <span className={classes.hidden}>{t('notice.screen.unread')} </span>}
        {link === null ? text : <Link to={link}>{text}</Link>}
      </div>
      <time dateTime={notice.at} className={classes.when}>
        {momentText(notice.at)}
      </time>
    </>
  )
}
