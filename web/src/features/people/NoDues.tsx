import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { encode } from 'uqr'
import { useAction } from '../../api/action'
import { useLibraryName } from '../../api/config'
import { issueNoDues } from '../../api/people'
import type { NoDues, Person } from '../../api/types'
import { t } from '../../lib/messages'
import { BASE_PATH } from '../../lib/paths'
import { paths } from '../../screens'
import { messageOf } from '../../lib/problem'
import { DateText } from '../../ui/Facts'
import { Dialog } from '../../ui/Dialog'
import classes from './NoDues.module.css'

/** A certificate that nothing is open, to be printed; anybody can check it by its number or its dots (R-PEOPLE-7). */
export function NoDuesDialog({ person, onClose }: { person: Person; onClose: () => void }) {
  const issue = useAction(issueNoDues)
  const [issued, setIssued] = useState<NoDues | null>(null)

  async function run() {
    const outcome = await issue.run(person.uid)
    if (outcome.ok) setIssued(outcome.output)
  }

  return (
    <Dialog onClose={onClose} title={t('people.noDues.title')} size="lg">
      {issued === null ? (
        <Stack>
          <Text>{t('people.noDues.what', { name: person.name })}</Text>
          {issue.error !== null && (
            <Alert color="red" role="alert">
              {messageOf(issue.error)}
            </Alert>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('common.cancel')}
            </Button>
            <Button data-autofocus loading={issue.pending} onClick={() => void run()}>
              {t('people.noDues.issue')}
            </Button>
          </Group>
        </Stack>
      ) : (
        <Stack>
          <Paper certificate={issued} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('common.close')}
            </Button>
            <Button data-autofocus onClick={() => window.print()}>
              {t('people.print')}
            </Button>
          </Group>
        </Stack>
      )}
    </Dialog>
  )
}

function Paper({ certificate }: { certificate: NoDues }) {
  const library = useLibraryName()
  const { number, issuedOn } = certificate
  const address = `${location.origin}${BASE_PATH}${paths.noDues(number)}`
  return (
    <article className={classes.paper} data-print aria-label={t('people.noDues.title')}>
      <p className={classes.library} dir="auto">
        {library || 'My Library'}
      </p>
      <h3>{t('people.noDues.title')}</h3>
      <p dir="auto">{t('people.noDues.sentence', { name: whoIs(certificate) })}</p>
      <p>
        <DateText day={issuedOn} />
      </p>
      <Dots text={address} label={t('people.noDues.qr')} />
      <p className={classes.number}>{number}</p>
      <p className={classes.address}>{t('people.noDues.check', { address })}</p>
    </article>
  )
}

const whoIs = ({ name, rollNumber, department, batch }: NoDues): string =>
  [name, rollNumber, department, batch].filter(Boolean).join(', ')

/** Room that a camera needs around the dots. */
const QUIET = 4

function Dots({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { border: 0, ecc: 'M' })
  const dots = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x + QUIET} ${y + QUIET}h1v1h-1z`] : [])))
  const side = size + 2 * QUIET
  return (
    <svg role="img" aria-label={label} viewBox={`0 0 ${side} ${side}`} className={classes.dots}>
      <rect width={side} height={side} fill="#fff" />
      <path d={dots.join('')} fill="#000" />
    </svg>
  )
}
