import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { sessionQuery } from '../../api/account'
import { useAction } from '../../api/action'
import { makeCode } from '../../api/people'
import type { Person, SignInCode as Made } from '../../api/types'
import { usePrintedName } from '../../api/config'
import { instantText } from '../../lib/format'
import { t } from '../../lib/messages'
import { isThisMachine } from '../../lib/thisMachine'
import { Sheet } from '../../print/Sheet'
import { BASE_PATH } from '../../lib/paths'
import { paths } from '../../screens'
import { messageOf } from '../../lib/problem'
import { Dialog } from '../../ui/Dialog'
import { useState } from 'react'
import classes from './SignInCode.module.css'

/** A sign-in code: shown once in large print, and printable on a slip, or mailed to the person (R-PEOPLE-3). */
export function SignInCode({ person, onClose }: { person: Person; onClose: () => void }) {
  const make = useAction(makeCode)
  const library = usePrintedName()
  const [made, setMade] = useState<Made | null>(null)

  const hasMail = useQuery(sessionQuery).data?.mail === true
  const address = hasMail ? person.email : null

  async function run(byMail: boolean) {
    const outcome = await make.run({ uid: person.uid, byMail })
    if (outcome.ok) setMade(outcome.output)
  }

  const close = (
    <Button data-autofocus onClick={onClose}>
      {t('common.close')}
    </Button>
  )

  if (made !== null && made.code === null)
    return (
      <Dialog onClose={onClose} title={t('people.code.title')}>
        <Text role="status">
          {t('people.code.mailed', { address: made.mailedTo ?? '', day: instantText(made.expires) })}
        </Text>
        <Group justify="flex-end" mt="md">
          {close}
        </Group>
      </Dialog>
    )

  return (
    <Dialog onClose={onClose} title={t('people.code.title')} keepsOpen={made !== null}>
      {made === null ? (
        <Stack>
          <Text>{t(person.canSignIn ? 'people.code.again' : 'people.code.first', { name: person.name })}</Text>
          {address !== null && (
            <Text c="dimmed" style={{ overflowWrap: 'anywhere' }}>
              {t('people.code.toAddress', { address })}
            </Text>
          )}
          {make.error !== null && (
            <Alert color="red" role="alert">
              {t('people.code.failed', { reason: messageOf(make.error) })}
            </Alert>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('common.cancel')}
            </Button>
            {address !== null && (
              <Button variant="default" disabled={make.pending} onClick={() => void run(true)}>
                {t('people.code.byMail')}
              </Button>
            )}
            <Button data-autofocus loading={make.pending} onClick={() => void run(false)}>
              {t('people.code.make')}
            </Button>
          </Group>
        </Stack>
      ) : (
        <Stack>
          <Sheet paper="page" className={classes.slip} role="status">
            <p className={classes.library} dir="auto">
              {library}
            </p>
            <p className={classes.name} dir="auto">
              {person.name} {person.rollNumber !== null && `· ${person.rollNumber}`}
            </p>
            <p className={classes.code}>{made.code}</p>
            <p>{t('people.code.where', { address: `${location.host}${BASE_PATH}${paths.redeem()}` })}</p>
            <p>{t('people.code.until', { day: instantText(made.expires) })}</p>
          </Sheet>
          {isThisMachine(location.hostname) && <Alert color="yellow">{t('people.code.thisMachine')}</Alert>}
          <Text size="sm" c="dimmed">
            {t('people.code.once')}
          </Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={() => window.print()}>
              {t('people.print')}
            </Button>
            {close}
          </Group>
        </Stack>
      )}
    </Dialog>
  )
}
