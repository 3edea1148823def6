import { Badge, Button, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { useAction } from '../../api/action'
import { endOtherSessions, endSession, mySessionsQuery } from '../../api/security'
import type { OwnSession } from '../../api/types'
import { momentText } from '../../lib/format'
import { t } from '../../lib/messages'
import { ListState } from '../../ui/ListState'
import classes from './Security.module.css'

/** Names the browser of a session: "Firefox on Windows". */
function browserText({ browser, system }: OwnSession): string {
  if (browser === null) return system ?? t('security.sessions.unknown')
  return system === null ? browser : t('security.sessions.browser', { browser, system })
}

/** The user's sessions, this browser first; the others can be ended. */
export function OwnSessions() {
  const query = useQuery(mySessionsQuery)
  const heading = useRef<HTMLHeadingElement>(null)
  const others = useAction(endOtherSessions, {
    done: () => t('security.sessions.othersEnded'),
    failed: (reason) => t('security.sessions.failed', { reason }),
  })

  async function endOthers() {
    const { ok } = await others.run(null)
    // The pressed button disappears with the sessions, so the heading takes the focus.
    if (ok) heading.current?.focus()
  }

  return (
    <section className={classes.part} aria-labelledby="sessions">
      <Title order={2} id="sessions" tabIndex={-1} ref={heading}>
        {t('security.sessions.title')}
      </Title>
      <p className={classes.hint}>{t('security.sessions.what')}</p>
      <ListState query={query} lines={2}>
        {(sessions) => (
          <>
            <ul className={classes.sessions}>
              {sessions.map((session) => (
                <Session key={session.id} session={session} whenGone={() => heading.current?.focus()} />
              ))}
            </ul>
            {sessions.length > 1 && (
              <Button
                variant="default"
                classNames={{ root: classes.everywhere, label: classes.everywhereLabel }}
                loading={others.pending}
                onClick={() => void endOthers()}
              >
                {t('security.sessions.endOthers')}
              </Button>
            )}
          </>
        )}
      </ListState>
    </section>
  )
}

function Session({ session, whenGone }: { session: OwnSession; whenGone: () => void }) {
  const browser = browserText(session)
  const end = useAction(endSession, {
    done: () => t('security.sessions.ended', { browser }),
    failed: (reason) => t('security.sessions.failed', { reason }),
  })
  return (
    <li className={classes.session}>
      <div>
        <span className={classes.browser}>{browser}</span>
        {session.current && (
          <Badge variant="light" ml="xs">
            {t('security.sessions.current')}
          </Badge>
        )}
        <div className={classes.when}>
          {t('security.sessions.when', {
            signedIn: momentText(session.signedInAt),
            lastSeen: momentText(session.lastSeenAt),
          })}
        </div>
      </div>
      {!session.current && (
        <Button
          variant="default"
          size="sm"
          loading={end.pending}
          aria-label={t('security.sessions.endNamed', { browser })}
          onClick={() => void end.run({ id: session.id, browser }).then(({ ok }) => ok && whenGone())}
        >
          {t('security.sessions.end')}
        </Button>
      )}
    </li>
  )
}
