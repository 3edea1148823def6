import { Alert, Button, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { mySecondFactorQuery } from '../../api/security'
import type { OwnSecondFactor } from '../../api/types'
import { instantText } from '../../lib/format'
import { t } from '../../lib/messages'
import { ListState } from '../../ui/ListState'
import { NewRecoveryCodes, TurnOff } from './Proof'
import classes from './Security.module.css'
import { SetUp } from './SetUp'

/** Number of recovery codes at which the user is warned. */
const FEW = 3

type Asked = 'setUp' | 'codes' | 'off'

/** Setup, state and removal of the authenticator app. */
export function SecondFactor() {
  const query = useQuery(mySecondFactorQuery)
  const [asked, setAsked] = useState<Asked | null>(null)
  const close = () => setAsked(null)
  return (
    <section className={classes.part} aria-labelledby="second-factor">
      <Title order={2} id="second-factor">
        {t('security.second.title')}
      </Title>
      <p className={classes.hint}>{t('security.second.what')}</p>
      <ListState query={query} lines={1}>
        {(own) => (
          <>
            {own.since === null ? (
              <Off passkeys={own.passkeys.length > 0} onAsk={setAsked} />
            ) : (
              <On since={own.since} onAsk={setAsked} />
            )}
            {(own.since !== null || own.passkeys.length > 0) && <Recovery own={own} onAsk={setAsked} />}
          </>
        )}
      </ListState>
      {asked === 'setUp' && query.data && <SetUp own={query.data} onClose={close} />}
      {asked === 'codes' && <NewRecoveryCodes app={query.data?.since != null} onClose={close} />}
      {asked === 'off' && query.data && <TurnOff own={query.data} onClose={close} />}
    </section>
  )
}

type OffProps = { passkeys: boolean; onAsk: (asked: Asked) => void }

function Off({ passkeys, onAsk }: OffProps) {
  return (
    <>
      <Text my="sm">{t(passkeys ? 'security.second.offButPasskeys' : 'security.second.off')}</Text>
      <Button onClick={() => onAsk('setUp')}>{t('security.second.setUp')}</Button>
    </>
  )
}

function On({ since, onAsk }: { since: string; onAsk: (asked: Asked) => void }) {
  return (
    <>
      <Text my="sm">{t('security.second.on', { day: instantText(since) })}</Text>
      <Button variant="default" onClick={() => onAsk('off')}>
        {t('security.second.turnOff')}
      </Button>
    </>
  )
}

/** Recovery codes, for a lost app or lost passkeys. */
function Recovery({ own, onAsk }: { own: OwnSecondFactor; onAsk: (asked: Asked) => void }) {
  const left = t('security.second.left', { count: own.recoveryCodes })
  return (
    <>
      {own.recoveryCodes > FEW ? (
        <Text my="sm">{left}</Text>
      ) : (
        <Alert color="yellow" my="sm">
          {left} {t('security.second.few')}
        </Alert>
      )}
      <Button variant="default" onClick={() => onAsk('codes')}>
        {t('security.second.newCodes')}
      </Button>
    </>
  )
}
