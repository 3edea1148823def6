import { Button, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { sessionQuery } from '../../api/account'
import { useAction } from '../../api/action'
import { myProviderQuery, unlinkProvider } from '../../api/provider'
import { momentText } from '../../lib/format'
import { t } from '../../lib/messages'
import { ListState } from '../../ui/ListState'
import classes from './Security.module.css'

/** Link of the account with the college's identity provider; renders nothing if there is none. */
export function OwnProvider() {
  const provider = useQuery(sessionQuery).data?.provider
  return provider === undefined ? null : <Provider provider={provider} />
}

function Provider({ provider }: { provider: string }) {
  const query = useQuery(myProviderQuery)
  const heading = useRef<HTMLHeadingElement>(null)
  const unlink = useAction(unlinkProvider, {
    done: () => t('security.provider.unlinked', { provider }),
    failed: (reason) => t('security.provider.failed', { reason }),
  })

  async function end() {
    const { ok } = await unlink.run(null)
    // The pressed button disappears with the link, so the heading takes the focus.
    if (ok) heading.current?.focus()
  }

  return (
    <section className={classes.part} aria-labelledby="provider">
      <Title order={2} id="provider" tabIndex={-1} ref={heading}>
        {t('security.provider.title', { provider })}
      </Title>
      <ListState query={query} lines={1}>
        {({ linkedAt }) =>
          linkedAt === null ? (
            <p className={classes.hint}>{t('security.provider.none', { provider })}</p>
          ) : (
            <>
              <p className={classes.hint}>{t('security.provider.since', { provider, since: momentText(linkedAt) })}</p>
              <Button
                variant="default"
                mt="md"
                classNames={{ root: classes.everywhere, label: classes.everywhereLabel }}
                loading={unlink.pending}
                onClick={() => void end()}
              >
                {t('security.provider.unlink', { provider })}
              </Button>
            </>
          )
        }
      </ListState>
    </section>
  )
}
