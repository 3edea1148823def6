import { Title } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { personNoticesQuery } from '../../api/notices'
import type { Notice } from '../../api/types'
import { dayIn, momentText } from '../../lib/format'
import { t, translateMessage } from '../../lib/messages'
import { ListState } from '../../ui/ListState'
import { ShowMore } from '../../ui/ShowMore'
import classes from './PersonScreen.module.css'

/** Notices sent to a person, and when the person read them. */
export function PersonNotices({ uid, timeZone }: { uid: number; timeZone: string }) {
  const query = useInfiniteQuery(personNoticesQuery(uid))
  return (
    <section className={classes.part} aria-labelledby="notices">
      <div className={classes.head}>
        <Title order={2} id="notices">
          {t('people.notices.title')}
        </Title>
      </div>
      <ListState query={query} lines={3}>
        {({ pages }) => {
          const notices = pages.flatMap((page) => page.notices)
          if (notices.length === 0) return <p>{t('people.notices.none')}</p>
          return (
            <>
              <ol className={classes.changes}>
                {notices.map((notice) => (
                  <li key={notice.id} className={classes.change}>
                    <time dateTime={notice.at} className={`tabular ${classes.when}`}>
                      {momentText(notice.at, timeZone)}
                    </time>
                    <span dir="auto">
                      {notice.text.map(translateMessage).join(' ')}{' '}
                      <span className={classes.when}>{outcomeOf(notice, timeZone)}</span>
                    </span>
                  </li>
                ))}
              </ol>
              <ShowMore query={query} label={t('people.notices.more')} />
            </>
          )
        }}
      </ListState>
    </section>
  )
}

/** Describes the outcome of a notice: read or not, mailed or the reason why not. */
function outcomeOf(notice: Notice, timeZone: string): string {
  const { mailedAt, unmailed } = notice
  const onScreen = onScreenOf(notice, timeZone)
  if (mailedAt !== null) return `${onScreen} ${t('people.notices.mailed', { when: dayIn(mailedAt, timeZone) })}`
  return unmailed === null ? onScreen : `${onScreen} ${t(`people.notices.unmailed.${unmailed}`)}`
}

/** Says whether a notice was read or withdrawn; no screen shows a notice to a guardian. */
function onScreenOf({ readAt, withdrawnAt, toGuardian }: Notice, timeZone: string): string {
  if (readAt !== null) return t('people.notices.read', { when: dayIn(readAt, timeZone) })
  if (withdrawnAt !== null) return t('people.notices.withdrawn', { when: dayIn(withdrawnAt, timeZone) })
  return t(toGuardian ? 'people.notices.toGuardian' : 'people.notices.unread')
}
