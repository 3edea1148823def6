import { Alert, Button, Group, Text, Title } from '@mantine/core'
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

/** So few recovery codes are worth a word. */
const FEW = 3

type Asked = 'setUp' | 'codes' | 'off'

/** Whether a code of an authenticator app is asked for at sign-in, and how to change that. */
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
        {(own) => (own.since === null ? <Off onAsk={setAsked} /> : <On own={own} since={own.since} onAsk={setAsked} />)}
      </ListState>
      {asked === 'setUp' && <SetUp onClose={close} />}
      {asked === 'codes' && <NewRecoveryCodes onClose={close} />}
      {asked === 'off' && <TurnOff required={query.data?.required === true} onClose={close} />}
    </section>
  )
}

function Off({ onAsk }: { onAsk: (asked: Asked) => void }) {
  return (
    <>
      <Text my="sm">{t('security.second.off')}</Text>
      <Button onClick={() => onAsk('setUp')}>{t('security.second.setUp')}</Button>
    </>
  )
}

type OnProps = { own: OwnSecondFactor; since: string; onAsk: (asked: Asked) => void }

function On({ own, since, onAsk }: OnProps) {
  const left = t('security.second.left', { count: own.recoveryCodes })
  return (
    <>
      <Text my="sm">
        {t('security.second.on', { day: instantText(since) })} {own.recoveryCodes > FEW && left}
      </Text>
      {own.recoveryCodes <= FEW && (
        <Alert color="yellow" mb="sm">
          {left} {t('security.second.few')}
        </Alert>
      )}
      <Group>
        <Button variant="default" onClick={() => onAsk('codes')}>
          {t('security.second.newCodes')}
        </Button>
        <Button variant="default" onClick={() => onAsk('off')}>
          {t('security.second.turnOff')}
        </Button>
      </Group>
    </>
  )
}
